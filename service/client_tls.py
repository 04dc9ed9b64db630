"""TLS towards a broker, by the files that settings name."""

from __future__ import annotations

import ssl
from pathlib import Path

from service.settings import SettingsError


def client_context(
    prefix: str, ca_file: Path | None, certificate_file: Path | None, key_file: Path | None
) -> ssl.SSLContext:
    """What checks a broker's certificate and its name, and what this client is known by.

    `prefix`: of the variables <prefix>CA_FILE and so on, for what a SettingsError says. Raises SettingsError.
    """
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise _unread(f"{prefix}CA_FILE", ca_file, error) from error
    if certificate_file:
        try:
            # An empty passphrase: without one, whoever starts the service would be asked for it.
            context.load_cert_chain(certificate_file, key_file, password="")
        except OSError as error:
            files = " and ".join(str(file) for file in (certificate_file, key_file) if file)
            raise _unread(f"{prefix}CERTIFICATE_FILE", files, error) from error
    return context


def _unread(name: str, files: object, error: OSError) -> SettingsError:
    reason = error.strerror or getattr(error, "reason", "") or "it is none"
    return SettingsError(f"{name}: {files} cannot be read as PEM: {reason}. Correct it and start again.")
