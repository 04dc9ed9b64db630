"""Where the service keeps everything: one SQLite file behind three small protocols."""
