"""A generator's control connection, seen from the core: lines in, lines out, and who has gone without a word.

What the commands mean is the caller's; what they look like is control.py's.
"""

from collections.abc import Callable
from contextlib import suppress

import gevent
import gevent.socket
from gevent.queue import Full, Queue

from regstorm.drivers import control

REPORTS_WAITING = 10_000  # lines that a generator may leave unread before it counts as lost


class GeneratorConnection:
    """A generator's control connection: one greenlet reads, one writes, so that a slow reader never holds up a core."""

    def __init__(
        self,
        sock: gevent.socket.socket,
        obey: Callable[[control.Command], control.Report | None],
        gone: Callable[[bool], None],
    ) -> None:
        self.stopped = False
        """It has said `stop` to the storm that it began last."""
        self._socket = sock
        self._obey = obey
        self._gone = gone
        self._reports: Queue = Queue(REPORTS_WAITING)
        self._writer = gevent.spawn(self._write)
        self._reader = gevent.spawn(self._read)

    def tell(self, report: control.Report) -> None:
        """Queues a report; a generator that does not read is cut off."""
        try:
            self._reports.put_nowait(report)
        except Full:
            self._socket.close()

    def drain(self) -> None:
        """Waits until everything told has been written, a moment at most."""
        self._reports.put(None)
        self._writer.join(timeout=1.0)

    def close(self) -> None:
        """Hangs up."""
        self._writer.kill(block=False)
        self._reader.kill(block=False)
        self._socket.close()

    def _write(self) -> None:
        with suppress(OSError):
            while (report := self._reports.get()) is not None:
                self._socket.sendall(control.as_line(report))

    def _read(self) -> None:
        lines = control.Lines()
        try:
            while octets := self._socket.recv(1 << 16):
                for line in lines.take(octets):
                    self._heard(line)
        except OSError:
            pass
        except control.NotUnderstood as error:
            self.tell(control.Refused(why=str(error)))
        finally:
            self._gone(self.stopped)

    def _heard(self, line: bytes) -> None:
        try:
            wanted = control.command(line)
        except control.NotUnderstood as error:
            self.tell(control.Refused(why=str(error)))
            return
        if isinstance(wanted, control.SetUp | control.Begin):
            self.stopped = False
        try:
            answer = self._obey(wanted)
        except Exception as error:  # ours, not the generator's: it learns of it, and this process ends
            self.tell(control.Refused(why=f"internal error: {type(error).__name__}: {error}"))
            self.drain()
            raise
        if answer is not None:
            self.tell(answer)
