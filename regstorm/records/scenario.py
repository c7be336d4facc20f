"""What a scenario file says (scenarios/*.yaml): a population, a core with a bottleneck, an outage, what is expected.

Times are scenario seconds, capacities and populations are those of the full size; `sampled` gives 1/K of both.
Every assumption is a field with a default; docs/scenarios.md names each field's source.
"""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regstorm.records.core_settings import Core
from regstorm.records.names import Name
from regstorm.records.nodes import Incident
from regstorm.records.population import OnlineOperations, Outage, Population
from regstorm.records.ranges import Range
from regstorm.records.usual import on_top_of

IMS_DNN = "ims"
"""The DNN whose session carries SIP (GSMA NG.114)."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Network(_Record):
    """Identity of the network. Test values by default; quoted strings, leading zeros count."""

    mcc: str = Field(default="001", pattern=r"^\d{3}$")
    mnc: str = Field(default="01", pattern=r"^\d{2,3}$")
    tac: int = Field(default=1, ge=0, le=0xFFFFFF)
    sst: int = Field(default=1, ge=0, le=255)
    sd: int | None = Field(default=None, ge=0, le=0xFFFFFF)
    """Slice differentiator; none by default."""
    dnns: tuple[str, ...] = ("internet", "ims")
    ciphering: Literal["null", "aes"] = "aes"
    integrity: Literal["null", "aes"] = "aes"


_ANSWER_S: Final = Range(low=0.05, high=0.15)


class Ue(_Record):
    """Timing of a UE outside the 3GPP timers."""

    answer_s: Annotated[Range, on_top_of(_ANSWER_S)] = _ANSWER_S
    """From a downlink message to the UE's answer: radio and processing."""
    retry_jitter_s: float = Field(default=0.2, ge=0)
    """Added to every retry, uniform from 0: no two phones have the same clock."""


class Expectation(_Record):
    """What a run of one strategy must show to pass its verdict; absent fields are not judged."""

    t99_at_most_s: float | None = None
    t99_at_most_lower_bounds: float | None = None
    share_back_at_most: float | None = None
    share_back_at_least: float | None = None
    refused_follow_ups_at_most: int | None = None
    refused_follow_ups_per_ue_at_least: float | None = None
    refused_first_at_least: int | None = None
    online_failed_share_at_most: float | None = None
    online_dropped_at_most: int | None = None
    udm_dropped_share_at_most: float | None = None
    udm_seconds_in_overload_at_most: float | None = None


class Scenario(_Record):
    """A storm, without the strategy against it."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    name: Name
    title: str
    description: str = ""
    network: Network = Network()
    population: Population
    online: OnlineOperations = OnlineOperations()
    ue: Ue = Ue()
    outage: Outage = Outage()
    core: Core
    incidents: tuple[Incident, ...] = ()
    """What happens to the core, in the order of time."""
    expected: dict[str, Expectation] = {}
    """By strategy."""

    @model_validator(mode="after")
    def _ims_has_its_session(self) -> "Scenario":
        if self.population.ims and IMS_DNN not in self.network.dnns:
            raise ValueError(f"population.ims: expected the DNN {IMS_DNN} among network.dnns, which SIP travels on")
        return self

    @model_validator(mode="after")
    def _incidents_make_sense(self) -> "Scenario":
        names = self.core.node_names
        for place, incident in enumerate(self.incidents):
            unknown = [name for name in incident.nodes if name not in names]
            if unknown:
                raise ValueError(f"incidents.{place}.nodes: unknown node {unknown[0]}, expected {', '.join(names)}")
        times = [incident.at_s for incident in self.incidents]
        if times != sorted(times):
            raise ValueError("incidents: expected them in the order of at_s")
        return self

    def sampled(self, sample: int) -> "Scenario":
        """1/`sample` of the population against 1/`sample` of every capacity; times stay."""
        if sample == 1:
            return self
        population = self.population
        return self.model_copy(
            update={
                "population": population.model_copy(
                    update={
                        "outage_ues": max(1, round(population.outage_ues / sample)),
                        "online_ues": round(population.online_ues / sample),
                    }
                ),
                "core": self.core.sampled(sample),
            }
        )
