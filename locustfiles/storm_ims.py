"""A storm on an SBC alone in Locust: locust -f locustfiles/storm_ims.py, then http://localhost:8089.

Every user is a phone's IMS side that registers over real UDP or TCP (--transport), without a 5GC before it: at the
bundled core, whose SBC restarts, or at an SBC or registrar that is not ours (docs/peers.md). Headless:

    locust -f locustfiles/storm_ims.py --headless --processes 2 --storm-strategy tiered --storm-sample 200

The run ends by itself when everybody is back or time is up. Exit code: 0 the run showed what its scenario expects of
the strategy, 3 it did not, 1 it was cut short, 2 an option is wrong.
"""

from regstorm.locust.options import Locustfile
from regstorm.locust.parked import OnlineUe, OutageUe
from regstorm.locust.plugin import install
from regstorm.locust.storm_shape import UntilEverybodyIsBack

__all__ = ["OnlineUe", "OutageUe", "StormShape"]

install(Locustfile("storm_ims.py", scenario="sbc_restart", phones=True))


class StormShape(UntilEverybodyIsBack):
    """All phones of the scenario, until they are back."""

    abstract = False
