from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.mqtt_settings import read_mqtt_settings, tls_context
from service.settings import SettingsError
from tests.running_mosquitto import made_certificates
from tests.running_service import ROOT

PREFIX = "HEADROOM_SERVICE_MQTT_"


def given(monkeypatch: pytest.MonkeyPatch, **values: object) -> None:
    for name, value in ({"URL": "mqtt://broker", "ORGANIZATION": "corner"} | values).items():
        monkeypatch.setenv(f"{PREFIX}{name}", str(value))


def test_nothing_is_no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_mqtt_settings() is None
    monkeypatch.setenv(f"{PREFIX}URL", "")
    assert read_mqtt_settings() is None


def test_without_a_broker_no_library_of_one_is_loaded() -> None:
    asked = "import sys, service.cli; print(sorted({'paho', 'nats'} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("mqtt://broker", "broker", 1883),
        ("mqtts://broker.example.org/", "broker.example.org", 8883),
        ("mqtt://[::1]:2000", "::1", 2000),
    ],
)
def test_a_broker_is_a_scheme_a_host_and_a_port(
    monkeypatch: pytest.MonkeyPatch, url: str, host: str, port: int
) -> None:
    given(monkeypatch, URL=url)
    settings = read_mqtt_settings()
    assert settings
    assert (settings.host, settings.port) == (host, port)
    assert settings.broker == f"{host}:{port}"
    assert [rule.topic_filter for rule in settings.topics] == ["headroom/+/#"]
    assert settings.client_id == "headroom"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"URL": "http://broker"}, "MQTT_URL: URL scheme should be 'mqtt' or 'mqtts'"),
        ({"URL": "broker:1883"}, "MQTT_URL: "),
        ({"URL": "mqtt://"}, "MQTT_URL: "),
        ({"URL": "mqtt://door:secret@broker"}, "which belong in HEADROOM_SERVICE_MQTT_USER"),
        ({"URL": "mqtt://broker/topic"}, "topics belong in HEADROOM_SERVICE_MQTT_TOPICS"),
        ({"PASSWORD": "secret"}, "MQTT_PASSWORD is set without HEADROOM_SERVICE_MQTT_USER"),
        ({"CA_FILE": "/secret"}, "MQTT_CA_FILE is set, but HEADROOM_SERVICE_MQTT_URL does not begin"),
        ({"URL": "mqtts://broker", "KEY_FILE": "/secret"}, "MQTT_KEY_FILE is set without"),
        ({"ORGANIZATION": ""}, "HEADROOM_SERVICE_MQTT_ORGANIZATION is not set"),
        ({"URL": "", "ORGANIZATION": "", "USER": "secret"}, "HEADROOM_SERVICE_MQTT_URL is not set; "),
        ({"TOPICS": "shop/#=Acme"}, "MQTT_TOPICS: 'Acme' is no maker"),
        ({"TOPICS": "shop/#"}, "MQTT_TOPICS: 'shop/#' names no maker"),
        ({"CLIENT_ID": "x" * 129}, "MQTT_CLIENT_ID: String should have at most 128"),
        ({"TOPICS": "none"}, "MQTT_TOPICS is none, and HEADROOM_SERVICE_MQTT_PUBLISH is not on"),
        ({"PUBLISH": "on", "DISCOVERY_PREFIX": "a/+"}, "MQTT_DISCOVERY_PREFIX has to be levels of a topic"),
        ({"PUBLISH": "on", "DISCOVERY_PREFIX": "/a"}, "MQTT_DISCOVERY_PREFIX has to be levels of a topic"),
        ({"PUBLISH": "on", "PUBLISH_SILENCE": "5"}, "MQTT_PUBLISH_SILENCE: "),
        ({"PUBLISH": "on", "TOPICS": "{maker}/#"}, "MQTT_TOPICS has the filter +/#, which reads what"),
        ({"PUBLISH": "perhaps"}, "MQTT_PUBLISH: "),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], reason: str
) -> None:
    given(monkeypatch, **values)
    with pytest.raises(
        SettingsError, match=r"^HEADROOM_SERVICE_MQTT_.+ Correct it and start again\.$"
    ) as told:
        read_mqtt_settings()
    assert reason in str(told.value)
    assert "secret" not in str(told.value)


def test_files_for_tls_are_read_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made_certificates(tmp_path)
    files = {"CA_FILE": tmp_path / "authority.crt", "CERTIFICATE_FILE": tmp_path / "client.crt"}
    given(monkeypatch, URL="mqtts://broker", KEY_FILE=tmp_path / "client.key", **files)
    settings = read_mqtt_settings()
    assert settings
    context = tls_context(settings)
    assert context
    assert len(context.get_ca_certs()) == 1


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("CA_FILE", None, "cannot be read as PEM: No such file or directory"),
        ("CA_FILE", "nonsense", "cannot be read as PEM: "),
        ("CERTIFICATE_FILE", None, "cannot be read as PEM: No such file or directory"),
        ("CERTIFICATE_FILE", "nonsense", "cannot be read as PEM: "),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    file = tmp_path / "file.pem"
    if content:
        file.write_text(content)
    given(monkeypatch, URL="mqtts://broker", **{name: file})
    with pytest.raises(SettingsError, match=f"^{PREFIX}{name}: {file} {reason}"):
        read_mqtt_settings()


def test_a_key_with_a_passphrase_is_refused_and_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made_certificates(tmp_path)
    locked = tmp_path / "locked.key"
    command = [
        "openssl",
        "pkey",
        "-aes256",
        "-passout",
        "pass:word",
        "-in",
        "client.key",
        "-out",
        str(locked),
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    given(monkeypatch, URL="mqtts://broker", CERTIFICATE_FILE=tmp_path / "client.crt", KEY_FILE=locked)
    with pytest.raises(SettingsError, match=f"^{PREFIX}CERTIFICATE_FILE: .+ cannot be read as PEM"):
        read_mqtt_settings()


def test_what_is_published_is_set_by_names_and_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch)
    settings = read_mqtt_settings()
    assert settings
    assert not settings.publish
    given(monkeypatch, PUBLISH="on", TOPICS="none", PUBLISH_SITES="a, b", PUBLISH_SILENCE="600")
    settings = read_mqtt_settings()
    assert settings
    assert settings.publish
    assert settings.topics == ()
    assert settings.publish_sites == ("a", "b")
    assert settings.publish_silence.total_seconds() == 600
    assert settings.published == ("homeassistant", "headroom")


def test_a_password_is_in_no_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, USER="door", PASSWORD="secret")
    settings = read_mqtt_settings()
    assert settings
    assert settings.password
    assert settings.password.get_secret_value() == "secret"
    assert "secret" not in f"{settings!r} {settings}"


def test_a_wrong_setting_ends_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given(monkeypatch, TOPICS="shop/#=Acme")
    command = [sys.executable, "-m", "service", "serve", "--data-dir", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{PREFIX}TOPICS: 'Acme' is no maker")
    assert "Traceback" not in ended.stderr
