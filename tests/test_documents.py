"""The documents of the project: their links lead somewhere, and they are whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from runtime.settings import Settings
from service.mqtt_settings import MqttSettings
from service.nats_settings import NatsSettings
from service.settings import ServiceSettings
from tests.running_service import ROOT

DOCUMENTS: Final = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")]
)
DECISIONS: Final = {int(path.name[:4]) for path in (ROOT / "docs" / "decisions").glob("*.md")}
LINK: Final = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PART: Final = re.compile(r"\]\(([^)#\s]*\.md)?#([^)\s]+)\)")
FILE: Final = re.compile(r"`([a-z_]+/[\w./-]+\.(?:py|js|json|css|html|conf|yaml))`")
SETTINGS: Final = (Settings, ServiceSettings, NatsSettings, MqttSettings)
NOT_IN_A_CLASS: Final = {"HEADROOM_SERVICE_PULL"}
"""A parameter of the command `serve`, too."""
MARK_OF_A_CONFLICT: Final = re.compile(r"^(<{7} |={7}$|>{7} )", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_leads_to_files_and_decisions_that_are_there_and_has_one_text(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = [link for link in LINK.findall(text) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []
    named = {int(number) for number in re.findall(r"\bdecision (\d+)\b", text)}
    assert named <= DECISIONS
    assert not MARK_OF_A_CONFLICT.search(text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_leads_to_parts_of_documents_and_names_files_that_are_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    parts = [(document.parent / other if other else document, part) for other, part in PART.findall(text)]
    assert [part for other, part in parts if part not in parts_of(other)] == []
    roots = (ROOT, document.parent)
    named = [name for name in FILE.findall(text) if not any((root / name).exists() for root in roots)]
    assert named == []


def parts_of(document: Path) -> set[str]:
    """As a link calls them: each heading in small letters, without signs, with - for spaces."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_code_names_decisions_that_are_there() -> None:
    folders = (
        "analysis",
        "api_client",
        "components",
        "gauge",
        "keeping",
        "live",
        "pages",
        "runtime",
        "screens",
        "service",
    )
    sources = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.[pj]*")
        if path.suffix in {".py", ".js"}
    ]
    named = {
        int(number)
        for path in sources
        for number in re.findall(r"\bdecision (\d+)\b", path.read_text(encoding="utf-8"))
    }
    assert named, "the search finds what it looks for"
    assert named <= DECISIONS


def test_every_setting_is_in_the_table_of_settings_and_no_other() -> None:
    there = {
        f"{settings.model_config.get('env_prefix', '')}{name}".upper()
        for settings in SETTINGS
        for name in settings.model_fields
    }
    # Both halves have one folder.
    there = (there | NOT_IN_A_CLASS) - {"HEADROOM_SERVICE_DATA_DIR"}
    assert told_settings() == there


def told_settings() -> set[str]:
    """Of docs/settings.md: each table has the beginning of its names in its head."""
    told, beginning = set[str](), ""
    for line in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").splitlines():
        first = line.split("|")[1] if line.startswith("|") else ""
        if head := re.fullmatch(r" `(HEADROOM_[A-Z_]*)\.\.\.` ", first):
            beginning = head[1]
        else:
            told |= {beginning + name for name in re.findall(r"`([A-Z_]+)`", first)}
    return told
