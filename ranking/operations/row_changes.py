"""What a change made of a row, as text for the audit log: each field from what to what, never a secret's value."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import Model

from ranking.wording.dates import utc_text

State = Mapping[str, object]
LONGEST_VALUE = 200  # characters of a value
CHANGED = "changed"  # all that the log says of a secret


def state_of(row: Model, fields: Collection[str]) -> dict[str, object]:
    """The values of these fields by name; related rows as text, several as a set; an object's members one by one."""
    state: dict[str, Any] = {}
    for name in fields:
        field = row._meta.get_field(name)
        if field.many_to_many:
            state[name] = frozenset(map(_name_of, getattr(row, name).all())) if row.pk else frozenset()
        elif field.is_relation:
            related = getattr(row, name, None)
            state[name] = None if related is None else _name_of(related)
        elif isinstance(value := getattr(row, name), dict):
            state |= {f"{name}.{member}": part for member, part in value.items()}
        else:
            state[name] = value
    return state


def change_texts(before: State, after: State, hidden: Collection[str] = ()) -> dict[str, str]:
    """The fields that differ, in their order, each with a text such as "10 → 5". `hidden`: fields that are secrets."""
    names = [*after, *(name for name in before if name not in after)]
    return {
        name: CHANGED if name.partition(".")[0] in hidden else _change_text(before.get(name), after.get(name))
        for name in names
        if _differ(before.get(name), after.get(name))
    }


def changed_fields(subject: str, changes: Mapping[str, str]) -> str:
    """The subject of a line about a row's changes, such as "mode duel: name, ranked"."""
    return f"{subject}: {', '.join(dict.fromkeys(name.partition('.')[0] for name in changes))}"


def _name_of(row: Any) -> str:
    """A related row in the log. Accounts are named by number: the log keeps no login of a player."""
    if isinstance(row, User):
        return f"account {row.pk}"
    return f"{row.content_type.app_label}.{row.codename}" if isinstance(row, Permission) else str(row)


def _differ(before: object, after: object) -> bool:
    """True if the log shows two values as different ones."""
    return bool(before != after) and not (_is_nothing(before) and _is_nothing(after))


def _is_nothing(value: object) -> bool:
    return value is None or value in ("", [], {}, frozenset())


def _change_text(before: Any, after: Any) -> str:
    if isinstance(before or after, frozenset):
        gone, come = (before or frozenset()) - (after or frozenset()), (after or frozenset()) - (before or frozenset())
        return ", ".join([*_signed("+", come), *_signed("−", gone)])
    return f"{_value_text(before)} → {_value_text(after)}"


def _signed(sign: str, names: Iterable[str]) -> list[str]:
    return [f"{sign} {name}" for name in sorted(names)]


def _value_text(value: object) -> str:
    if _is_nothing(value):
        return "–"
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, dt.datetime):
        text = utc_text(value)
    else:
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
