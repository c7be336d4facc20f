"""The files of a run directory, and how the JSON among them is read.

Without pandas, which takes 50 MB: a process that plays a storm reads its own record.
"""

from pathlib import Path
from typing import Any

import orjson

from regstorm.records.files import BadFile
from regstorm.records.run_record import SCHEMA

RECORD = "run.json"
TIMELINE = "timeline.csv"
COMPARISON = "compare.json"


def read_record(path: Path) -> dict[str, Any]:
    """A run.json or compare.json. Raises BadFile with one line if it is unreadable or of another schema."""
    try:
        document = orjson.loads(path.read_bytes())
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise BadFile(f"{path}: line {error.lineno}: is not JSON: {error.msg}") from None
    if not isinstance(document, dict):
        raise BadFile(f"{path}: expected a run record, found {type(document).__name__}")
    if document.get("schema") != SCHEMA:
        raise BadFile(f"{path}: schema: expected {SCHEMA}, found {document.get('schema')!r}")
    return document
