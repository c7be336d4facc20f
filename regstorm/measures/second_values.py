"""Values by name and second, compactly: an hour of dictionaries would take as much room as 50 000 simulated UEs."""

from array import array
from collections.abc import Mapping
from typing import Final

_BYTES: Final = 8


class SecondValues:
    """A row of whole numbers for each second; what has no value in a second is 0 there."""

    __slots__ = ("_places", "_rows")

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        """By name: where its values stand in the rows that know it already."""
        self._rows: list[array[int]] = []

    def __len__(self) -> int:
        """Seconds."""
        return len(self._rows)

    def append(self, values: Mapping[str, int]) -> None:
        """The values of the next second."""
        places = self._places
        for name in values:
            if name not in places:
                places[name] = len(places)
        row = array("q", bytes(_BYTES * len(places)))
        for name, value in values.items():
            row[places[name]] = value
        self._rows.append(row)

    def add(self, name: str, change: int, first: int) -> None:
        """Changes one value, in the seconds from the first on."""
        place = self._places.setdefault(name, len(self._places))
        for row in self._rows[first:]:
            row.extend([0] * (place + 1 - len(row)))
            row[place] += change

    def column(self, name: str, first: int) -> list[int]:
        """One value, in the seconds from the first on."""
        place = self._places.get(name)
        if place is None:
            return [0] * len(self._rows[first:])
        return [row[place] if place < len(row) else 0 for row in self._rows[first:]]

    def taken(self, first: int, behind: int) -> list[dict[str, int]]:
        """What is not 0 in those seconds; here they are forgotten, and only counted."""
        names = list(self._places)
        rows = self._rows[first:behind]
        self._rows[first:behind] = [_FORGOTTEN] * len(rows)
        return [{name: value for name, value in zip(names, row, strict=False) if value} for row in rows]


_FORGOTTEN: Final = array("q")
