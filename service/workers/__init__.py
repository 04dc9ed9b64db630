"""Workers: what the application starts and ends beside answering requests."""
