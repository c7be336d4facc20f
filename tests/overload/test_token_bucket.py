import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.token_bucket import TokenBucket


def test_a_refused_request_leaves_the_bucket_as_it_was():
    bucket = TokenBucket(rate=10, depth=10)
    assert sum(bucket.admits(now=0.0) for _ in range(20)) == 10
    assert not bucket.admits(now=0.05)
    assert bucket.admits(now=0.1)


def test_no_more_than_the_depth_is_kept_over_a_quiet_hour():
    bucket = TokenBucket(rate=10, depth=20)
    assert sum(bucket.admits(now=3600.0) for _ in range(50)) == 20


def test_a_small_sample_keeps_five_ues_worth_of_messages():
    bucket = TokenBucket.for_ues(rate=0.5, depth_s=2, messages_per_ue=6, least_depth_ues=5)
    assert bucket.depth == 30


def test_a_large_sample_keeps_two_seconds_of_messages():
    bucket = TokenBucket.for_ues(rate=3000, depth_s=2, messages_per_ue=6, least_depth_ues=5)
    assert bucket.depth == 6000


def test_a_bucket_without_a_rate_is_a_mistake():
    with pytest.raises(ValueError, match="above zero"):
        TokenBucket(rate=0, depth=1)


requests = st.lists(st.tuples(st.floats(0, 2), st.sampled_from([0.5, 1.0, 3.0])), max_size=60)


@settings(max_examples=60)
@given(requests, st.floats(0.1, 50), st.floats(0.5, 20))
def test_over_any_time_it_admits_at_most_rate_times_time_plus_depth(gaps_and_costs, rate, depth):
    bucket = TokenBucket(rate, depth)
    now, admitted = 0.0, []
    for gap, cost in gaps_and_costs:
        now += gap
        if bucket.admits(now, cost):
            admitted.append((now, cost))
    for begin in range(len(admitted)):
        taken = sum(cost for _, cost in admitted[begin:])
        lasted = admitted[-1][0] - admitted[begin][0]
        assert taken <= rate * lasted + depth + 1e-6
