"""No shape of a message is learnt from pycrate in the middle of a storm."""

from small_storms import plan, scenario, storm_of

from protocols.ngap.encode import SHAPES_BY_PREFIX


def shapes():
    return {
        (prefix, length): len(same)
        for prefix, by_length in SHAPES_BY_PREFIX.items()
        if prefix != b"\x00\x09\x40"  # ERROR INDICATION, of which a storm has a handful
        for length, same in by_length.items()
    }


def test_a_storm_with_refusals_and_strangers_meets_no_shape_that_start_up_did_not_learn():
    before = []
    one = scenario(ues=40, online=20, pairs_per_s=40, arrivals_s=5, outage={"amf_context": "lost"})
    storm = storm_of(plan(one, "precise"), prepare=lambda storm: before.append(shapes()))
    assert storm.timeline.total("amf.refused_first") > 0
    assert shapes() == before[0]
