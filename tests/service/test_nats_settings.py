from __future__ import annotations

from pathlib import Path

import pytest

from service.nats_settings import read_nats_settings, tls_context
from service.settings import SettingsError
from tests.running_mosquitto import made_certificates

PREFIX = "HEADROOM_SERVICE_NATS_"


def given(monkeypatch: pytest.MonkeyPatch, **values: object) -> None:
    for name, value in ({"URL": "nats://hints"} | values).items():
        monkeypatch.setenv(f"{PREFIX}{name}", str(value))


def test_nothing_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_nats_settings() is None
    monkeypatch.setenv(f"{PREFIX}URL", "")
    assert read_nats_settings() is None


def test_one_server_or_several_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, URL="nats://one, nats://two.example.org:4300,nats://[::1]")
    settings = read_nats_settings()
    assert settings
    assert settings.servers == ["nats://one:4222", "nats://two.example.org:4300", "nats://[::1]:4222"]
    assert settings.told == "one:4222, two.example.org:4300, [::1]:4222"
    assert settings.subject == "headroom.changes"
    assert tls_context(settings) is None


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"URL": "http://hints"}, "NATS_URL: URL scheme should be 'nats' or 'tls'"),
        ({"URL": ","}, "NATS_URL: "),
        ({"URL": "nats://name:5ecret@hints"}, "which belong in HEADROOM_SERVICE_NATS_USER"),
        ({"URL": "nats://hints/5ecret"}, "NATS_URL has more than scheme, host and port"),
        ({"URL": "nats://one,tls://two"}, "NATS_URL has servers with TLS and without"),
        ({"USER": "name"}, "NATS_USER and HEADROOM_SERVICE_NATS_PASSWORD have to be set together"),
        ({"PASSWORD": "5ecret"}, "NATS_USER and HEADROOM_SERVICE_NATS_PASSWORD have to be set together"),
        ({"USER": "name", "PASSWORD": "5ecret", "TOKEN": "5ecret"}, "NATS_TOKEN is set beside"),
        ({"SUBJECT": "headroom.*"}, "NATS_SUBJECT has to be words"),
        ({"CA_FILE": "/there"}, "NATS_CA_FILE is set, but HEADROOM_SERVICE_NATS_URL does not begin with tls"),
        ({"URL": "tls://hints", "KEY_FILE": "/there"}, "NATS_KEY_FILE is set without"),
        ({"URL": "tls://hints", "CA_FILE": "/not/there"}, "NATS_CA_FILE: /not/there cannot be read as PEM"),
    ],
)
def test_what_cannot_be_used_is_said_without_repeating_a_secret(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], reason: str
) -> None:
    given(monkeypatch, **values)
    with pytest.raises(SettingsError) as raised:
        read_nats_settings()
    assert reason in str(raised.value)
    assert "Correct it and start again." in str(raised.value)
    assert "5ecret" not in str(raised.value)


def test_a_password_without_a_server_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}TOKEN", "5ecret")
    with pytest.raises(SettingsError, match="NATS_URL is not set"):
        read_nats_settings()


def test_files_of_tls_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made_certificates(tmp_path)
    files = {"CA_FILE": "authority.crt", "CERTIFICATE_FILE": "client.crt", "KEY_FILE": "client.key"}
    given(monkeypatch, URL="tls://hints", **{name: tmp_path / file for name, file in files.items()})
    settings = read_nats_settings()
    assert settings
    context = tls_context(settings)
    assert context
    assert context.cert_store_stats()["x509_ca"] == 1
