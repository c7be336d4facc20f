"""Reading scenario and strategy files, so that a wrong one gets one clear line: file, field, what was expected."""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

_Model = TypeVar("_Model", bound=BaseModel)


class BadFile(Exception):
    """A file that does not say what it should. `str()` is the one line to show: file, field, expectation."""


def read(path: Path, model: type[_Model]) -> _Model:
    """The record in `path`. Raises BadFile with one line if the file is missing, no YAML, or says something wrong."""
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
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BadFile(f"{path}: {_first_problem(error)}") from None


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
