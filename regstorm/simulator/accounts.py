"""The books on pairs by UE: which procedures of it are open, so that they are settled or written off together.

The rule is that of the reference core's ledger (pair_ledger.py). The running procedure's account is the last one.
"""

from typing import Final

from regstorm.records.ports import Tally
from regstorm.reference_core.pair_ledger import PairLedger

_IN_THIS_SECOND: Final = 0.0
"""The simulator's tally counts in the second that runs, whatever time it is told."""


class Accounts:
    """Open accounts of every UE since its last full service."""

    __slots__ = ("_open", "ledger")

    def __init__(self, tally: Tally) -> None:
        self.ledger = PairLedger(tally)
        self._open: dict[int, list[int]] = {}

    def open(self, ue: int) -> None:
        """A procedure begins that will ask for pairs."""
        self._open.setdefault(ue, []).append(self.ledger.open())

    def running(self, ue: int) -> int:
        """The account of the UE's running procedure."""
        return self._open[ue][-1]

    def write_off_running(self, ue: int) -> None:
        """The running procedure has come to nothing."""
        accounts = self._open.get(ue)
        if accounts:
            self.ledger.write_off(accounts.pop(), _IN_THIS_SECOND)

    def write_off(self, ue: int) -> None:
        """The UE begins anew before it had full service."""
        for account in self._open.pop(ue, ()):
            self.ledger.write_off(account, _IN_THIS_SECOND)

    def settle(self, ue: int) -> None:
        """The UE has full service: all that was done for it was well spent."""
        for account in self._open.pop(ue, ()):
            self.ledger.settle(account)
