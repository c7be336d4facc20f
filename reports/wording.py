"""Numbers as people read them."""


def duration(seconds: float | None) -> str:
    """`8.4 min`, `45 s`, or `not reached`."""
    if seconds is None:
        return "not reached"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def percent(share: float | None) -> str:
    """`12.3 %`, with as many digits as tell it from 0 and from 100."""
    if share is None:
        return "not known"
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f} %"
    shown = f"{value:.1f}"
    if shown in ("0.0", "100.0"):
        return "below 0.1 %" if value < 1 else "above 99.9 %"
    return f"{shown} %"


def count(value: float | None) -> str:
    """`3 778`, with thin spaces; `not known` for None."""
    return "not known" if value is None else f"{value:,.0f}".replace(",", "\u202f")


def ratio(value: float | None) -> str:
    """`2.9`."""
    return "not known" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
