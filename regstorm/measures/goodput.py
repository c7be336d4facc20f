"""Goodput: what of a server's work brings somebody through a whole chain of messages, against what it is offered.

The closed form is that of a server that sheds at random, however often it is asked the same, without retries. With K
messages in a chain that ends at its first loss, an offered load of x times what the server can finish, and s the share
of messages that survive, a started chain asks for (1 − sᴷ) / (1 − s) messages, of which the server can serve K / x on
average: x · s · (1 − sᴷ) / (1 − s) = K, and goodput is x · sᴷ.
"""


def closed_form(offered_load: float, messages: int) -> float:
    """Goodput of chains of `messages`, as a share of what the server could finish."""
    if offered_load <= 1:
        return offered_load
    low, high = 1e-6, 1 - 1e-9
    for _ in range(60):
        s = (low + high) / 2
        low, high = (s, high) if offered_load * s * (1 - s**messages) / (1 - s) < messages else (low, s)
    return float(offered_load * low**messages)
