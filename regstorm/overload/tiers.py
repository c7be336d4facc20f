"""Tiers: which class of message goes first.

Tier 0 goes before tier 1 before tier 2. A class that the strategy does not list stands on the last tier. Without an
order there is one tier and everybody is alike. The map is data of a strategy, because vendors differ.
"""

from collections.abc import Mapping

from regstorm.records.message_classes import MessageClass


class TierTable:
    """The tier of every message class, looked up in one step."""

    __slots__ = ("_tiers", "lowest")

    def __init__(self, order: Mapping[MessageClass, int] | None = None) -> None:
        """`order` as in a strategy file; None or empty: one tier for all."""
        order = order or {}
        if any(tier < 0 for tier in order.values()):
            raise ValueError("tiers are counted from 0")
        self.lowest: int = max(order.values(), default=0)
        self._tiers = {one: order.get(one, self.lowest) for one in MessageClass}

    def __len__(self) -> int:
        """The number of tiers."""
        return self.lowest + 1

    def tier(self, message_class: MessageClass) -> int:
        """0 goes first, `lowest` last."""
        return self._tiers[message_class]
