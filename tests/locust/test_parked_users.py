"""What parked users rely on in Locust: spawn, count, halve, stop, restart, quit."""

import gevent
from locust.env import Environment

from regstorm.locust.parked import OnlineUe, OutageUe, ParkedUe, attach_hub, detach_hub


class RecordingHub:
    def __init__(self):
        self.admitted: list[ParkedUe] = []
        self.released: list[ParkedUe] = []

    def admit(self, user):
        self.admitted.append(user)

    def release(self, user):
        self.released.append(user)


def running(environment, users):
    runner = environment.runner
    runner.start(users, spawn_rate=max(users, 1))
    runner.spawning_greenlet.join()
    return runner


def environment_with(hub, outage, online):
    OutageUe.fixed_count, OnlineUe.fixed_count = outage, online
    environment = Environment(user_classes=[OutageUe, OnlineUe])
    environment.create_local_runner()
    attach_hub(environment, hub)
    return environment


def test_every_user_that_locust_counts_has_been_given_to_the_hub_in_one_batch():
    hub = RecordingHub()
    environment = environment_with(hub, outage=200, online=100)
    runner = running(environment, 300)
    assert runner.user_count == 300
    assert [type(user).__name__ for user in hub.admitted].count("OutageUe") == 200
    runner.quit()
    detach_hub(environment)


def test_a_parked_user_never_runs():
    hub = RecordingHub()
    environment = environment_with(hub, outage=3, online=0)
    runner = running(environment, 3)
    gevent.sleep(0)
    assert not any(user.greenlet.started for user in hub.admitted)
    runner.quit()


def test_stopping_releases_every_user_once_and_the_runner_can_start_again():
    hub = RecordingHub()
    environment = environment_with(hub, outage=20, online=10)
    runner = running(environment, 30)
    runner.stop()
    assert runner.user_count == 0
    assert len(hub.released) == 30
    running(environment, 30)
    assert runner.user_count == 30
    runner.quit()
    assert len(hub.released) == 60
    assert set(hub.released) == set(hub.admitted)
