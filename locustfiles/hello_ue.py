"""Hello, UE: a plain Locust user that is one 5G UE. Copy this file and change what the task does.

    locust -f locustfiles/hello_ue.py --headless -u 10 -r 10 -t 30s

Each user has a greenlet, as Locust users do: good for a few thousand UEs. Storms are for storm_5gc.py.
"""

from locust import User, constant, task

from regstorm.locust.one_ue import OneUe


class HelloUe(User):
    wait_time = constant(1)
    host = "the bundled core"

    def on_start(self) -> None:
        self.ue = OneUe(self.environment)  # an identity of its own; a core starts with the first register

    @task
    def come_and_go(self) -> None:
        self.ue.register()  # returns in full service; raises AttemptFailed("5G registration: 5GMM #22") if refused
        self.ue.deregister()

    def on_stop(self) -> None:
        self.ue.close()
