"""`python -m service`."""

import structlog

from service.cli import application

if __name__ == "__main__":
    # A command says what is wrong in a sentence, and standard output is for its answer; `serve` keeps a log.
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    application(prog_name="python -m service")
