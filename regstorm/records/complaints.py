"""What is wrong with a file in one line that a person can act on: field, what was expected, what was found.

A misspelt field comes first: whatever is missing is usually what it was meant to be.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

UNKNOWN, MISSING, OURS = "extra_forbidden", "missing", "value_error"
_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text in quotes",
    "string_pattern_mismatch": "text like {pattern}",
    "model_type": "fields and values",
    "model_attributes_type": "fields and values",
    "dict_type": "fields and values",
    "tuple_type": "a list",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
}
"""By pydantic's name of the problem."""


def first_problem(error: ValidationError, model: type[BaseModel]) -> str:
    """The line for `error`, which `model` raised."""
    problems = error.errors(include_url=False)
    first = min(problems, key=lambda problem: problem["type"] != UNKNOWN)
    field = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{field}: {_what(first, model)}{more}".removeprefix(": ")


def _what(problem: Mapping[str, Any], model: type[BaseModel]) -> str:
    kind = problem["type"]
    if kind == OURS:
        return str(problem["msg"]).removeprefix("Value error, ")
    if kind == MISSING:
        return "is missing"
    if kind == UNKNOWN:
        return _no_such_field(problem["loc"], model)
    expected = _EXPECTED.get(kind, "").format_map(problem.get("ctx", {}))
    said = f"expected {expected}" if expected else str(problem["msg"]).replace("Input should be", "expected")
    found = problem["input"]
    return f"{said}, found {'nothing' if found is None else f'{found!r:.60}'}"


def _no_such_field(loc: Sequence[int | str], model: type[BaseModel]) -> str:
    models = [model]
    for part in loc[:-1]:  # an index or a key of a mapping leads no deeper
        inside = [found for one in models for found in _models_in(_fields(one).get(str(part)))]
        models = inside or models
    known = [name for one in models for name in _fields(one)]
    close = get_close_matches(str(loc[-1]), known, n=1, cutoff=0.75)
    return f"no such field, perhaps {close[0]}" if close else f"no such field, expected one of {', '.join(known)}"


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """`Udm` of `Udm`, `Udm | None`, `tuple[Udm, ...]` and `dict[str, Udm]` alike."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
