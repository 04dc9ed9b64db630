"""The bodies with which an administrator makes and rotates keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from contract.administration import LONGEST_OVERLAP
from service.query.metrics_body import at_most
from service.store.key_protocol import KeyScope, KeyTerms
from service.store.key_terms import LONGEST_NAME, MOST_SITES


def _instant(value: object) -> object:
    """What is told apart from a day without an hour and an hour without an offset: both are guesses."""
    if value is None:
        return None
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise ValueError("is no time with its offset: write it as 2027-01-31T18:00:00+01:00")
    return instant


Instant = Annotated[
    datetime | None,
    BeforeValidator(_instant),
    WithJsonSchema({"type": ["string", "null"], "format": "date-time"}),
]


class KeyBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "required": ["name", "scope"],
            "example": {"name": "Till", "scope": "read", "expiresAt": "2027-01-31T18:00:00+01:00"},
        },
    )

    # Required and yet optional here, so that what else is wrong is found beside them.
    name: Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME})] = ""
    scope: Annotated[
        KeyScope | None, WithJsonSchema({"type": "string", "enum": [scope.value for scope in KeyScope]})
    ] = Field(default=None, strict=False)
    expires_at: Instant = Field(default=None, alias="expiresAt")
    """From then on it is refused. Null: never."""
    site_ids: Annotated[list[str], at_most(MOST_SITES)] | None = Field(default=None, alias="siteIds")
    """The only sites that a key of scope read reads. Null: all of the organization, those to come, too."""

    def terms(self) -> KeyTerms:
        site_ids = None if self.site_ids is None else frozenset(self.site_ids)
        return KeyTerms(self.name, self.scope, self.expires_at, site_ids)


class RotationBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"required": ["overlapSeconds"]})

    overlap_seconds: Annotated[
        Annotated[int, Field(ge=0, le=LONGEST_OVERLAP)] | None,
        WithJsonSchema({"type": "integer", "minimum": 0, "maximum": LONGEST_OVERLAP}),
    ] = Field(default=None, alias="overlapSeconds")
    """For so long the old key still opens; 0: it is refused at the very next request."""
