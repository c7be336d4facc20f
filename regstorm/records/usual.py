"""Defaults of which a file may change a part."""

from typing import Any

from pydantic import BaseModel, BeforeValidator


def on_top_of(usual: BaseModel) -> BeforeValidator:
    """What a file does not say is as in `usual`, which may be otherwise than its class has it."""
    return BeforeValidator(lambda said: completed(usual, said))


def completed(usual: BaseModel, said: Any) -> Any:
    """`said` with the rest of `usual`; as it is if it is no table of fields."""
    return usual.model_dump() | said if isinstance(said, dict) else said
