"""Names in scenarios and strategies that name nothing: each gets a line, none is ignored without a word."""

import pytest

from regstorm.records.files import BadFile, with_changes
from regstorm.records.operations import OPERATIONS_IN_PAIRS
from regstorm.records.sources import available, later, require_expected, scenario, strategy

LIKE, LIKE_PATH = scenario("outage_return")
NAMES = "{name: mine, title: t, summary: s"
GATE = NAMES + ", gate: {counts: first_messages, nodes: {%s: 5}}}"
DRA = NAMES + ", dra: {cx_sh_share: 0.5, nodes: {%s: 5}}}"
TWO_AMFS = "core.amfs=[{name: east, share: 0.5}, {name: west, share: 0.5}]"


@pytest.fixture
def file_of(tmp_path):
    def write(text, name="mine"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(text)
        return path

    return write


# --- nodes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GATE % "amf-9", "gate.nodes: outage_return has no node amf-9, expected east, west, sbc"),
        (GATE % "udm", "gate.nodes: outage_return has no node udm, expected east, west, sbc"),
        (DRA % "east", "dra.nodes: outage_return has no node east, expected udm"),
    ],
)
def test_a_strategy_that_names_a_node_that_the_scenario_lacks_gets_its_file_the_field_and_the_nodes(
    file_of, text, says
):
    path = file_of(text)
    story = with_changes(LIKE, [TWO_AMFS])

    with pytest.raises(BadFile) as refused:
        strategy(str(path), story)
    assert str(refused.value) == f"{path}: {says}"


@pytest.mark.parametrize("text", [GATE % "west", GATE % "sbc", DRA % "udm"])
def test_a_node_of_the_right_kind_may_be_named(file_of, text):
    assert strategy(str(file_of(text)), with_changes(LIKE, [TWO_AMFS]))[0].name == "mine"


def test_a_strategy_that_comes_in_force_later_is_looked_at_as_well(file_of):
    story = with_changes(LIKE, [f"incidents=[{{at_s: 9, strategy: {file_of(GATE % 'amf-9')}}}]"])

    with pytest.raises(BadFile, match=r"gate\.nodes: outage_return has no node amf-9, expected amf, sbc"):
        later(story, 1)


# --- operations ------------------------------------------------------------------------------------------------------


def test_an_operation_that_there_is_not_has_no_cost_and_the_like_of_it_are_named():
    with pytest.raises(BadFile, match=r"core\.udm\.cost_per_operation: unknown operation Cx MAAR, .* such as Cx MAR"):
        with_changes(LIKE, ["core.udm.cost_per_operation={Cx MAAR: 2}"])


def test_an_operation_that_no_udm_serves_has_no_cost_there():
    with pytest.raises(BadFile, match="unknown operation heartbeat"):
        with_changes(LIKE, ["core.udm.cost_per_operation={heartbeat: 2}"])


def test_every_operation_of_a_udm_or_hss_may_have_its_cost():
    costs = ", ".join(f'"{name}": 2' for name in OPERATIONS_IN_PAIRS)
    udm = with_changes(LIKE, [f"core.udm.cost_per_operation={{{costs}}}"]).core.udm

    assert set(udm.cost_per_operation) == set(OPERATIONS_IN_PAIRS)
    assert {"Nudm_SDM_Get am-data", "Cx MAR", "Sh UDR"} < set(OPERATIONS_IN_PAIRS)


# --- expected --------------------------------------------------------------------------------------------------------


def expecting(name):
    return with_changes(LIKE, [f"expected={{{name}: {{share_back_at_least: 1}}}}"])


def test_nothing_can_be_expected_of_a_strategy_that_there_is_not():
    with pytest.raises(BadFile) as refused:
        require_expected(expecting("tierd"), LIKE_PATH, [strategy("tiered")[0]])
    assert str(refused.value).startswith(
        f"{LIKE_PATH}: expected.tierd: no strategy has that name, expected one that is"
    )
    assert "tiered" in str(refused.value)


def test_a_strategy_from_anywhere_is_known_while_it_is_played(file_of):
    mine, _ = strategy(str(file_of(NAMES + "}")))

    require_expected(expecting("mine"), LIKE_PATH, [mine])
    with pytest.raises(BadFile, match=r"expected\.mine"):
        require_expected(expecting("mine"), LIKE_PATH, [strategy("tiered")[0]])


@pytest.mark.parametrize("where", ["scenarios", "strategies"])
def test_a_strategy_beside_the_scenario_is_known_by_what_its_file_calls_it(tmp_path, file_of, where):
    (tmp_path / where).mkdir()
    file_of(NAMES + "}", f"{where}/routine")
    (tmp_path / where / "broken.yaml").write_text("[")

    require_expected(expecting("mine"), tmp_path / "scenarios" / "routine.yaml", [strategy("tiered")[0]])


@pytest.mark.parametrize("path", available("scenarios"), ids=lambda path: path.stem)
def test_scenarios_that_are_shipped_expect_something_of_shipped_strategies_only(path):
    require_expected(scenario(str(path))[0], path, [])
