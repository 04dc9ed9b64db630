"""From the body of `POST /v3/metrics` to a query that the store can answer, and back to points."""
