"""A registration storm in Locust: locust -f locustfiles/storm_5gc.py, then http://localhost:8089.

The form asks for scenario, strategy, sample, speed and target. Headless, with two worker processes:

    locust -f locustfiles/storm_5gc.py --headless --processes 2 --storm-strategy tiered --storm-sample 200

The run ends by itself when everybody is back or time is up. Exit code: 0 the run showed what its scenario expects of
the strategy, 3 it did not, 1 it was cut short, 2 an option is wrong. With IMS: storm_full.py.
"""

from regstorm.locust.options import Locustfile
from regstorm.locust.parked import OnlineUe, OutageUe
from regstorm.locust.plugin import install
from regstorm.locust.storm_shape import UntilEverybodyIsBack

__all__ = ["OnlineUe", "OutageUe", "StormShape"]

install(Locustfile("storm_5gc.py", scenario="outage_return_5gc", changes=("population.ims=false",)))


class StormShape(UntilEverybodyIsBack):
    """All UEs of the scenario, until they are back."""

    abstract = False
