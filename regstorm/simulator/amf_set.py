"""The AMF set: which AMF a UE's next connection reaches, and which one knows the UE.

What base stations do on the wire (ue_models.amf_choice): a UE with a 5G-GUTI goes to the AMF that gave it out; if that
one is lost, and without a GUTI, one is drawn for every connection anew, in proportion to the weight factors (TS 23.501
5.19.3, 6.3.5). So a UE that one AMF has authenticated and then told to wait may reach another one next, which does not
know it. A lost AMF has forgotten everybody when it is back; who has a GUTI of another AMF by then stays there.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from regstorm.overload.node_shares import Kind, node_of
from regstorm.records.nodes import Node
from ue_models.amf_choice import draw

_NOBODY: Final = 255


class AmfSet:
    """AMFs by place. With one of them everything is for that one."""

    __slots__ = ("_gave_guti", "_knows", "_rng", "_weights", "nodes", "of")

    def __init__(self, nodes: Sequence[Node], ues: int, rng: Random) -> None:
        self.nodes = nodes
        self._rng = rng
        self._weights = [node.share for node in nodes]
        """Of those that can be reached; 0 for a lost one."""
        several = len(nodes) > 1
        self.of = bytearray(node_of(nodes, ue, Kind.AMF) for ue in range(ues)) if several else bytearray(ues)
        """By UE: the AMF of its connection, or of the last one that it had."""
        self._gave_guti = bytearray(self.of)
        self._knows = bytearray(self.of)

    def place_of(self, name: str) -> int | None:
        """Where that AMF stands; None: it is none of these."""
        return next((place for place, node in enumerate(self.nodes) if node.name == name), None)

    def connect(self, ue: int, has_guti: bool) -> bool:
        """The UE has a new connection; True: the AMF that it reaches knows it. Where none can be reached it stays."""
        if len(self.nodes) > 1:
            place = self._gave_guti[ue]
            if not has_guti or not self._weights[place]:
                drawn = draw(self._weights, self._rng)
                place = self.of[ue] if drawn is None else drawn
            self.of[ue] = place
        return self._knows[ue] == self.of[ue]

    def knows(self, ue: int) -> None:
        """The AMF that the UE is connected to has authenticated it: any other's security context is void."""
        self._knows[ue] = self.of[ue]

    def gives_guti(self, ue: int) -> None:
        """The AMF that the UE is connected to has registered it."""
        self._knows[ue] = self._gave_guti[ue] = self.of[ue]

    def forget(self, ue: int) -> None:
        """No AMF knows the UE any more."""
        self._knows[ue] = _NOBODY

    def take_capacity(self, place: int, factor: float) -> list[int]:
        """The AMF is lost if `factor` is 0, and else there; the UEs that were connected to it, if it is lost now."""
        was_lost, lost = not self._weights[place], factor <= 0
        self._weights[place] = 0.0 if lost else self.nodes[place].share
        if was_lost or not lost:
            return []
        for ue, knows in enumerate(self._knows):
            if knows == place:
                self._knows[ue] = _NOBODY
        return [ue for ue, one in enumerate(self.of) if one == place]
