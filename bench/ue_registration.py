"""What a registration costs on the UE's side: UE, gNB and both codecs, without the network's work.

    python bench/ue_registration.py [registrations]

Each registration has authentication, security mode, both sessions and the release: eight messages up, seven down.
"""

import gc
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "ue_models"))

from scripted_network import Network


class Stopwatch:
    """Adds up the CPU time spent inside calls, outermost only."""

    def __init__(self):
        self.seconds = 0.0
        self._depth = 0

    def around(self, call):
        def timed(*arguments):
            if self._depth:
                return call(*arguments)
            self._depth += 1
            begun = time.thread_time()
            try:
                return call(*arguments)
            finally:
                self.seconds += time.thread_time() - begun
                self._depth -= 1

        return timed


class TimedGnb:
    """The gNB with a stopwatch around what the network calls."""

    def __init__(self, gnb, watch):
        self._gnb = gnb
        self.receive = watch.around(gnb.receive)

    def __getattr__(self, name):
        return getattr(self._gnb, name)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    watch = Stopwatch()
    gc.disable()  # a network is made for each registration, and its garbage is not the UE's
    for warm in (True, False):
        watch.seconds = 0.0
        for _ in range(20 if warm else count):
            network = Network()
            network.gnb = TimedGnb(network.gnb, watch)
            network.agenda.step = watch.around(network.agenda.step)
            watch.around(network.ue.power_on)(0.0)
            network.register()
    print(f"{watch.seconds / count * 1e6:.0f} µs of CPU per registration with two sessions, {count} registrations")


if __name__ == "__main__":
    main()
