"""The v3 service: a complete implementation of the Spatial Metrics API over recorded crossings."""
