"""A Kamailio registrar for a test: in the foreground, on loopback, ended by its process identity."""

import os
import re
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

CONFIGURATION = Path(__file__).with_name("registrar.cfg")
PASSWORD = "secret"
PATIENCE_S = 10.0
_HEARD = re.compile(r"heard ([0-9.]+) (\S+) ([0-9]+)$", re.MULTILINE)


class Heard(NamedTuple):
    """A REGISTER that Kamailio has processed."""

    at: float
    """Time of day."""
    user: str
    cseq: int


class Registrar:
    """One that runs."""

    def __init__(self, process, log, port):
        self.process = process
        self.log = log
        self.port = port

    def heard(self):
        """Every REGISTER so far."""
        return [Heard(float(at), user, int(cseq)) for at, user, cseq in _HEARD.findall(self.log.read_text())]


@contextmanager
def a_registrar(folder, refusals=0, hint=""):
    """`refusals`: so many REGISTERs of each user are answered 503 with `hint` (header fields) first."""
    port, log = free_port(), folder / "kamailio.log"
    define = {"PORT": port, "PASSWORD": f'"{PASSWORD}"', "REFUSALS": refusals, "HINT": f'"{hint}"'}
    command = ["kamailio", "-f", str(CONFIGURATION), "-DD", "-E", "-m", "32", "-w", str(folder), "-Y", str(folder)]
    for name, value in define.items():
        command += ["-A", f"{name}={value}"]
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    try:
        wait_until_it_answers(port, process, log)
        yield Registrar(process, log, port)
    finally:
        process.send_signal(signal.SIGTERM)  # the first of its processes ends the others
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until_it_answers(port, process, log):
    """OPTIONS until there is an answer."""
    until = time.monotonic() + PATIENCE_S
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", 0))
        client.settimeout(0.1)
        here = client.getsockname()
        octets = (
            f"OPTIONS sip:127.0.0.1:{port} SIP/2.0\r\nVia: SIP/2.0/UDP {here[0]}:{here[1]};branch=z9hG4bKready\r\n"
            f"From: <sip:test@localhost>;tag=t\r\nTo: <sip:127.0.0.1>\r\nCall-ID: ready\r\nCSeq: 1 OPTIONS\r\n"
            "Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
        ).encode()
        while True:
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < until, f"kamailio does not answer: {log.read_text()[-2000:]}"
            client.sendto(octets, ("127.0.0.1", port))
            with suppress(OSError):
                client.recv(65_535)
                return


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]
