"""Which of several AMFs a gNB takes for a UE: the NAS node selection function (TS 23.501 5.19.3, 6.3.5; TS 38.410 5.1).

A UE that names itself by a 5G-S-TMSI goes to the AMF that gave it out, if that one can be reached. Every other UE is
drawn by the AMFs' relative capacities (TS 38.413 9.3.1.32); an AMF of capacity 0 is given no new UE.
"""

from collections.abc import Sequence
from random import Random

from protocols.identities import STmsi
from protocols.ngap.messages import NgSetupResponse


def choose(amfs: Sequence[NgSetupResponse | None], s_tmsi: STmsi | None, rng: Random) -> int | None:
    """The place of the AMF; None: there is none for this UE. `amfs`: what each has said of itself, None while it
    cannot be reached."""
    if s_tmsi is not None:
        for place, amf in enumerate(amfs):
            if amf is not None and (amf.guami.set_id, amf.guami.pointer) == (s_tmsi.set_id, s_tmsi.pointer):
                return place
    return draw([0 if amf is None else amf.relative_capacity for amf in amfs], rng)


def draw(weights: Sequence[float], rng: Random) -> int | None:
    """A place, as probable as its weight; None: all weights are 0."""
    left = rng.random() * sum(weights)
    last = None
    for place, weight in enumerate(weights):
        if weight > 0:
            last = place
            if left < weight:
                break
        left -= weight
    return last
