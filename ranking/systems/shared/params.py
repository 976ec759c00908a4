"""The parameters of a system: the fields of its frozen dataclass, each declared with `param`.

One declaration gives the default, the allowed range and the help text. Both the check of a mode's parameters and their
description for administrators read it, so the two can't drift apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from math import inf
from typing import Any

from ranking.systems.base import Refused
from ranking.systems.shared import fields as read


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as a form shows it."""

    name: str
    default: Any
    meaning: str
    options: tuple[str, ...] = ()  # what it may be; empty if anything of its type
    nullable: bool = False
    proposed: Any = None  # for a new mode; None: its default
    why: str = ""  # the reason of `proposed`, a sentence

    @property
    def label(self) -> str:
        """The name as a form shows it: "Staying is better"."""
        return self.name.replace("_", " ").capitalize()


def param(
    default: Any,
    meaning: str,
    *,
    least: float = -inf,
    most: float = inf,
    above: float = -inf,
    common: bool = False,
    rule: bool = False,
    options: tuple[str, ...] = (),
    nullable: bool = False,
    proposed: Any = None,
    why: str = "",
) -> Any:
    """A dataclass field for one parameter; its type is that of the default (bool, int, float or str).

    `common`: every system has it, so it is listed after the system's own parameters. `rule`: it says nothing about how
    strong a skill is, so skills stay as they are when it changes. `options`: the texts that it may be. `nullable`: it
    may be None, too. `proposed`: what the form of a new mode proposes instead of the default; `why`: the reason.
    """
    bounds = {"least": least, "most": most, "above": above}
    metadata = {"meaning": meaning, "bounds": bounds, "rule": rule, "options": options, "nullable": nullable}
    metadata |= {"proposed": proposed, "why": why}
    return field(default=default, kw_only=common, metadata=metadata)


def describe(system: type[Any]) -> tuple[Parameter, ...]:
    """A system's parameters in the order of their declaration, those of all systems last."""
    shown = ("meaning", "options", "nullable", "proposed", "why")
    return tuple(Parameter(f.name, f.default, *(f.metadata[name] for name in shown)) for f in _declared(system))


def without_rules(system: Any) -> Any:
    """The system with its rules at their defaults: two that are the same then have the same skills."""
    return replace(system, **{f.name: f.default for f in _declared(type(system)) if f.metadata["rule"]})


def _declared(system: type[Any]) -> list[Field[Any]]:
    """The fields that are parameters, a system's own first."""
    return sorted((f for f in fields(system) if f.metadata), key=lambda f: bool(f.kw_only))


def read_params(system: type[Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Check `params` against the declarations; raises Refused naming system and parameter."""
    declared = {f.name: f for f in _declared(system)}
    for name in params:
        if name not in declared:
            raise Refused(f"{system.key} has no parameter {read.shown(name)}; it has {read.listed(declared)}.")
    return {name: _read(declared[name], value, f"{system.key}: parameter {name}") for name, value in params.items()}


def _read(declared: Field[Any], value: object, path: str) -> Any:
    bounds = declared.metadata["bounds"]
    if value is None and declared.metadata["nullable"]:
        return None
    if isinstance(declared.default, bool):
        return read.boolean(value, path)
    if isinstance(declared.default, int):
        return read.integer(value, path, **bounds)
    if declared.metadata["options"]:
        return read.one_of(value, declared.metadata["options"], path)
    if isinstance(declared.default, str):
        return read.text(value, path) if value != "" else ""
    return float(read.number(value, path, **bounds))
