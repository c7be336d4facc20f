"""Reading scenario and strategy files, so that a wrong one gets one clear line: file, field, what was expected.
Writing results, so that a kill or a full disk leaves either the old file or the whole new one."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

_Model = TypeVar("_Model", bound=BaseModel)


class BadFile(Exception):
    """A file that does not say what it should. `str()` is the one line to show: file, field, expectation."""


def read(path: Path, model: type[_Model], changes: Sequence[str] = ()) -> _Model:
    """The record in `path`. Raises BadFile with one line if the file is missing, no YAML, or says something wrong.

    `changes` are `field.field=value` and replace what the file says, before it is judged.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text") from None
    except yaml.YAMLError as error:
        raise BadFile(f"{path}: {_first_line(error)}") from None
    if not isinstance(data, dict):
        raise BadFile(f"{path}: expected fields and values, found {type(data).__name__}")
    for change in changes:
        _put(data, change)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BadFile(f"{path}: {_first_problem(error)}") from None


def with_changes(record: _Model, changes: Sequence[str]) -> _Model:
    """`record` with `changes` (`field.field=value`) made to it. Raises BadFile with one line."""
    data = record.model_dump(mode="json", by_alias=True)
    for change in changes:
        _put(data, change)
    try:
        return type(record).model_validate(data)
    except ValidationError as error:
        raise BadFile(f"{', '.join(changes)}: {_first_problem(error)}") from None


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


def _put(data: dict[str, Any], change: str) -> None:
    name, equals, text = change.partition("=")
    fields = name.strip().split(".")
    if not equals or not all(fields):
        raise BadFile(f"--set {change}: expected field.field=value")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise BadFile(f"--set {change}: the value is not YAML") from None
    for field in fields[:-1]:
        inner = data.setdefault(field, {})
        if not isinstance(inner, dict):
            raise BadFile(f"--set {change}: {field} has no fields of its own")
        data = inner
    data[fields[-1]] = value


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "is not YAML"
    return f"line {mark.line + 1}: {problem}" if mark else str(problem)


def _first_problem(error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    first = problems[0]
    field = ".".join(str(part) for part in first["loc"]) or "(the whole file)"
    message = first["msg"].removeprefix("Value error, ")
    given = "" if first["type"] in ("missing", "value_error") else f", found {first['input']!r:.60}"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{field}: {message}{given}{more}"
