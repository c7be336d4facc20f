"""The names in Locust's statistics: under twenty, each telling enough by itself (OpenTelemetry drops the type)."""

from locust.opentelemetry import MAX_REQUEST_NAMES

from regstorm.locust.statistics import request_type
from regstorm.records import procedures, sources


def names():
    """Every name that UEs, gNBs and phones tell an attempt under, in every scenario there is."""
    fixed = [value for name, value in vars(procedures).items() if name.isupper() and isinstance(value, str)]
    scenarios = [sources.scenario(str(path))[0] for path in sources.available(sources.SCENARIOS)]
    sessions = sorted({procedures.pdu_session(dnn) for one in scenarios for dnn in one.network.dnns})
    assert sessions == ["PDU session ims", "PDU session internet"]
    return [*fixed, *sessions]


def test_there_are_fewer_than_locusts_opentelemetry_tells_apart():
    assert MAX_REQUEST_NAMES == 20
    assert 10 < len(names()) < MAX_REQUEST_NAMES


def test_each_is_unique_without_its_type():
    assert len({name.casefold() for name in names()}) == len(names())


def test_each_fits_locusts_columns():
    assert all(len(name) <= 30 and name.isprintable() for name in names())
    assert {request_type(name) for name in names()} == {"5GMM", "5GSM", "NGAP", "SIP"}
