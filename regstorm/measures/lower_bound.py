"""Lower bound: no strategy gets everybody back sooner than the UDM can serve their registrations.

Every outage UE needs its pairs once, and the UDM has what users in service leave of its capacity.
"""


def lower_bound_s(
    outage_ues: float, pairs_per_ue: float, capacity_pairs_per_s: float, background_pairs_per_s: float = 0.0
) -> float | None:
    """N · pairs / (capacity − background), seconds. None: the background alone takes the whole capacity."""
    left = capacity_pairs_per_s - background_pairs_per_s
    return outage_ues * pairs_per_ue / left if left > 0 else None


def efficiency(lower_bound: float | None, t99_s: float | None) -> float | None:
    """0.99 · lower bound / T99: 1 if the UDM did nothing but what 99 % needed. None without a T99."""
    if lower_bound is None or not t99_s:
        return None
    return 0.99 * lower_bound / t99_s
