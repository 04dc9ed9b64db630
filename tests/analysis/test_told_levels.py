from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from analysis.told_levels import ToldLevel, told_levels

AT = "2026-11-20T14:05+01:00"


def warning(details: Any) -> dict[str, Any]:
    return {"code": "LEVEL_SET", "message": "visitorsInside was set by hand.", "details": details}


def test_each_setting_is_read_in_order_whatever_the_zone_is_called() -> None:
    details = {
        f"shop at the corner at {AT}": "set to 12: we counted: twice",
        "hall at 2026-11-20T08:00+01:00": "set to 0: empty",
    }
    assert told_levels([{"code": "COUNTS_SPREAD"}, warning(details)]) == (
        ToldLevel(datetime.fromisoformat("2026-11-20T08:00+01:00"), 0, "empty"),
        ToldLevel(datetime.fromisoformat(AT), 12, "we counted: twice"),
    )


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "LEVEL_SET",
        {"code": "PEOPLE_HIDDEN", "details": {f"hall at {AT}": "set to 12: we counted"}},
        warning(None),
        warning([f"hall at {AT}"]),
        warning({f"hall at {AT}": 12}),
        warning({7: "set to 12: we counted"}),
        warning({f"hall at {AT}": "set to many: we counted"}),
        warning({f"hall at {AT}": "set to 1234567890: we counted"}),
        warning({f"hall at {AT}": "set to 12: "}),
        warning({"hall at 2026-11-20T14:05": "set to 12: a local time"}),
        warning({"hall": "set to 12: never"}),
    ],
)
def test_what_has_another_form_is_as_if_it_were_not_told(entry: Any) -> None:
    assert told_levels([entry]) == ()


def test_of_a_hostile_answer_only_so_much_is_read() -> None:
    details = {f"{'h' * 5000}{number} at {AT}": f"set to 12: {'a' * 5000}" for number in range(2000)}
    found = told_levels([warning(details)] * 3)
    assert len(found) == 400
    assert all(len(one.reason) < 400 for one in found)
