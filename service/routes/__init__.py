"""The HTTP surface: one module per resource."""
