"""Reading scenario and strategy files, so that a wrong one gets one clear line: file, field, what was expected.
Writing results, so that a kill or a full disk leaves either the old file or the whole new one."""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from regstorm.records.complaints import first_problem

_Model = TypeVar("_Model", bound=BaseModel)


class BadFile(Exception):
    """A file that does not say what it should. `str()` is the one line to show: file, field, expectation."""


def read(path: Path, model: type[_Model], changes: Sequence[str] = ()) -> _Model:
    """The record in `path`. Raises BadFile with one line if the file is missing, no YAML, or says something wrong.

    `changes` are `field.field=value` and replace what the file says, before it is judged.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _EachKeyOnce)  # it is a SafeLoader
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text") from None
    except yaml.YAMLError as error:
        raise BadFile(f"{path}: {_first_line(error)}") from None
    if not isinstance(data, dict):
        raise BadFile(f"{path}: expected fields and values, found {_kind(data)}")
    for change in changes:
        _put(data, change, "--set ")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BadFile(f"{path}: {first_problem(error, model)}") from None


def with_changes(record: _Model, changes: Sequence[str]) -> _Model:
    """`record` with `changes` (`field.field=value`) made to it. Raises BadFile with one line."""
    data = record.model_dump(mode="json", by_alias=True)
    for change in changes:
        _put(data, change)
    try:
        return type(record).model_validate(data)
    except ValidationError as error:
        raise BadFile(f"{', '.join(changes)}: {first_problem(error, type(record))}") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes `content` beside `path` and renames it into place: nobody ever sees half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class _EachKeyOnce(yaml.SafeLoader):
    """Of two keys that are alike YAML takes the last, in silence: half of what somebody wrote would not count."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"{key.value} stands there twice", problem_mark=key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_MERGE = "tag:yaml.org,2002:merge"
"""`<<`, which may stand there several times."""


def _put(data: dict[str, Any], change: str, option: str = "") -> None:
    """`option`: what the user typed before the change, where that is known. A number is a place in a list."""
    name, equals, text = change.partition("=")
    fields = name.strip().split(".")
    if not equals or not all(fields):
        raise BadFile(f"{option}{change}: expected field.field=value")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise BadFile(f"{option}{change}: the value is not YAML") from None
    holder: Any = data
    for outer, field in pairwise(fields):
        place = _place(holder, outer)
        if isinstance(holder, dict):
            holder.setdefault(place, {})
        holder = holder[place]
        if _place(holder, field) is None:
            raise BadFile(f"{option}{change}: {_what_it_has(outer, holder)}")
    holder[_place(holder, fields[-1])] = value


def _place(holder: Any, field: str) -> str | int | None:
    """Of `field` in it; None where there can be none."""
    if isinstance(holder, list):
        return int(field) if field.isdecimal() and int(field) < len(holder) else None
    return field if isinstance(holder, dict) else None


def _what_it_has(field: str, holder: Any) -> str:
    if isinstance(holder, list) and holder:
        return f"{field} is a list, expected a place from 0 to {len(holder) - 1}"
    return f"{field} has no fields of its own"


def _kind(data: Any) -> str:
    return "nothing" if data is None else "a list" if isinstance(data, list) else "one value"


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "is not YAML"
    return f"line {mark.line + 1}: {problem}" if mark else str(problem)
