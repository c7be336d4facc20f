"""JSON of Nudm, read field by field: whatever a peer sends, the outcome is a value or `BadJson`."""

from typing import Any, Final

import orjson

from protocols.nas5g.messages import Snssai

_SST_MAX: Final = 255
_SD_DIGITS: Final = 6


class BadJson(Exception):
    """What a body lacks or has wrong: the cause of TS 29.500 table 5.2.7.2-1, and the field."""

    def __init__(self, cause: str, where: str) -> None:
        super().__init__(f"{cause} {where}")
        self.cause = cause
        self.where = where


class JsonObject:
    """An object; its fields are read by kind."""

    __slots__ = ("_fields", "_path")

    def __init__(self, fields: dict[str, Any], path: str = "") -> None:
        self._fields = fields
        self._path = path

    @staticmethod
    def of(body: bytes) -> "JsonObject":
        """The object that a body is."""
        try:
            said = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise BadJson("INVALID_MSG_FORMAT", "body") from None
        if not isinstance(said, dict):
            raise BadJson("INVALID_MSG_FORMAT", "body")
        return JsonObject(said)

    def text(self, name: str) -> str:
        """A string that has to be there."""
        said: str = self._one(name, str)
        return said

    def octets(self, name: str, length: int | None = None) -> bytes:
        """Octets in hexadecimal."""
        try:
            octets = bytes.fromhex(self.text(name))
        except ValueError:
            raise self._incorrect(name) from None
        if length is not None and len(octets) != length:
            raise self._incorrect(name)
        return octets

    def number(self, name: str) -> int:
        """An integer."""
        said = self._one(name, int)
        if isinstance(said, bool):
            raise self._incorrect(name)
        return int(said)

    def flag(self, name: str) -> bool:
        """true or false."""
        return bool(self._one(name, bool))

    def maybe_flag(self, name: str) -> bool:
        """The same; absent means false."""
        return self.flag(name) if name in self._fields else False

    def inner(self, name: str) -> "JsonObject":
        """An object in it."""
        return JsonObject(self._one(name, dict), f"{self._path}{name}/")

    def maybe_inner(self, name: str) -> "JsonObject | None":
        """The same, or None."""
        return self.inner(name) if name in self._fields else None

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        said: list[Any] = self._one(name, list)
        if not all(isinstance(one, str) for one in said):
            raise self._incorrect(name)
        return said

    def objects(self, name: str) -> list["JsonObject"]:
        """A list of objects."""
        return [self._as_object(name, one) for one in self._one(name, list)]

    def names(self) -> list[str]:
        """The names of its fields."""
        return list(self._fields)

    def snssai(self) -> Snssai:
        """This object as an S-NSSAI (TS 29.571 5.4.4.2)."""
        sst = self.number("sst")
        if not 0 <= sst <= _SST_MAX:
            raise self._incorrect("sst")
        if "sd" not in self._fields:
            return Snssai(sst)
        return Snssai(sst, int.from_bytes(self.octets("sd", _SD_DIGITS // 2), "big"))

    def _one(self, name: str, kind: type) -> Any:
        said = self._fields.get(name)
        if said is None:
            raise BadJson("MANDATORY_IE_MISSING", self._path + name)
        if not isinstance(said, kind):
            raise self._incorrect(name)
        return said

    def _as_object(self, name: str, said: object) -> "JsonObject":
        if not isinstance(said, dict):
            raise self._incorrect(name)
        return JsonObject(said, f"{self._path}{name}/")

    def _incorrect(self, name: str) -> BadJson:
        return BadJson("MANDATORY_IE_INCORRECT", self._path + name)


def snssai_json(one: Snssai) -> dict[str, Any]:
    """An S-NSSAI as JSON."""
    return {"sst": one.sst} if one.sd is None else {"sst": one.sst, "sd": f"{one.sd:06x}"}


def snssai_key(one: Snssai) -> str:
    """An S-NSSAI as the key of a map (TS 29.571 5.4.4.2: its JSON form is not allowed there, `1-000001` is)."""
    return str(one.sst) if one.sd is None else f"{one.sst}-{one.sd:06x}"
