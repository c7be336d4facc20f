"""The name of a scenario or a strategy: run directories and strategy files are called after it."""

import re
from typing import Annotated

from pydantic import AfterValidator

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def _fit_for_a_file(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"expected letters, digits, _, - and . only, found {name!r:.60}: directories are called so")
    return name


Name = Annotated[str, AfterValidator(_fit_for_a_file)]
