"""`python -m service`."""

from service.cli import application

if __name__ == "__main__":
    application(prog_name="python -m service")
