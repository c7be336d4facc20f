"""The simulator's AMF set: where a UE's next connection goes, and who knows the UE there (TS 23.501 5.19.3, 6.3.5)."""

from collections import Counter
from random import Random

from regstorm.records.nodes import Node
from regstorm.simulator.amf_set import AmfSet

EAST, WEST, SOUTH, NORTH = range(4)
FOUR = tuple(Node(name=name, share=share) for name, share in zip("eswn", (0.4, 0.3, 0.2, 0.1), strict=True))


def amf_set(ues=1000, nodes=FOUR):
    return AmfSet(nodes, ues, Random(1))


def of_east(amfs):
    return [ue for ue, place in enumerate(amfs.of) if place == EAST]


def register(amfs, ue, has_guti=True):
    amfs.connect(ue, has_guti)
    amfs.knows(ue)
    amfs.gives_guti(ue)


def test_a_ue_goes_to_the_amf_that_gave_out_its_guti_and_is_known_there():
    amfs = amf_set()
    homes = bytes(amfs.of)

    assert all(amfs.connect(ue, True) for ue in range(1000))
    assert bytes(amfs.of) == homes


def test_whose_amf_is_lost_is_drawn_an_amf_by_weight_for_every_connection_anew():
    amfs = amf_set()
    amfs.take_capacity(EAST, 0)
    ue = of_east(amfs)[0]

    assert not any(amfs.connect(ue, True) for _ in range(10))
    reached = Counter()
    for _ in range(6000):
        amfs.connect(ue, True)
        reached[amfs.of[ue]] += 1

    assert sorted(reached) == [WEST, SOUTH, NORTH]
    assert abs(reached[WEST] - 3000) < 150
    assert abs(reached[SOUTH] - 2000) < 150


def test_an_amf_that_has_authenticated_the_ue_knows_it_again_and_no_other_does():
    amfs = amf_set()
    amfs.take_capacity(EAST, 0)
    ue = of_east(amfs)[0]
    amfs.connect(ue, True)
    amfs.knows(ue)
    first = amfs.of[ue]

    for _ in range(50):
        assert amfs.connect(ue, True) == (amfs.of[ue] == first)

    while amfs.of[ue] == first:
        amfs.connect(ue, True)
    amfs.knows(ue)  # another one has authenticated it: the first one's security context is void
    second = amfs.of[ue]
    for _ in range(50):
        assert amfs.connect(ue, True) == (amfs.of[ue] == second)


def test_who_is_registered_at_an_amf_stays_there_when_another_is_lost_or_back():
    amfs = amf_set()
    amfs.take_capacity(EAST, 0)
    moved = of_east(amfs)
    for ue in moved:
        register(amfs, ue)
    there = {ue: amfs.of[ue] for ue in moved}

    amfs.take_capacity(WEST, 0)
    amfs.take_capacity(EAST, 1)

    for ue in moved:
        if there[ue] != WEST:
            assert amfs.connect(ue, True)
            assert amfs.of[ue] == there[ue]


def test_who_is_not_registered_elsewhere_goes_back_to_its_amf_which_has_forgotten_it():
    amfs = amf_set()
    ue = of_east(amfs)[0]
    amfs.take_capacity(EAST, 0)
    amfs.connect(ue, True)
    amfs.knows(ue)

    amfs.take_capacity(EAST, 1)

    assert not amfs.connect(ue, True)
    assert amfs.of[ue] == EAST


def test_a_lost_amf_names_those_who_were_connected_to_it_once():
    amfs = amf_set()
    theirs = of_east(amfs)

    assert amfs.take_capacity(EAST, 0.5) == []
    assert amfs.take_capacity(EAST, 0) == theirs
    assert amfs.take_capacity(EAST, 0) == []


def test_less_capacity_does_not_change_the_weights():
    amfs = amf_set()
    amfs.take_capacity(EAST, 0.1)

    reached = Counter()
    for ue in range(1000):
        amfs.connect(ue, has_guti=False)
        reached[amfs.of[ue]] += 1

    assert abs(reached[EAST] - 400) < 60


def test_without_any_amf_a_ue_stays_where_it_was_and_is_known_nowhere():
    amfs = amf_set()
    for place in range(4):
        amfs.take_capacity(place, 0)
    before = bytes(amfs.of)

    assert not any(amfs.connect(ue, True) for ue in range(1000))
    assert bytes(amfs.of) == before


def test_a_single_amf_that_is_lost_forgets_its_ues_too():
    amfs = amf_set(3, (Node(name="amf", share=1),))
    assert amfs.connect(0, True)

    assert amfs.take_capacity(0, 0) == [0, 1, 2]

    assert not amfs.connect(0, True)


def test_a_ue_that_is_forgotten_is_known_again_once_it_is_registered():
    amfs = amf_set()
    amfs.forget(7)
    assert not amfs.connect(7, True)

    register(amfs, 7)

    assert amfs.connect(7, True)
