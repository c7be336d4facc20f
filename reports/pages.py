"""Pages: templates filled with figures, one self-contained file each, written whole or not at all.

The charts' script is plotly's own packaged one, inlined once. Nothing on a page asks a network for anything.
"""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from regstorm.records.files import write_whole
from reports import assumptions, key_figures, population, wording
from reports.charts import charts
from reports.comparison import Comparison, compare
from reports.domain_tables import sheets
from reports.headline import headline
from reports.run_directory import read_run, run_directories

COMPARISON_PAGE = "compare.html"
RUN_PAGE = "report.html"


def load(places: Sequence[Path]) -> Comparison:
    """The runs in `places`, each a run directory or a directory of them. Raises BadFile with one line."""
    directories = [directory for place in places for directory in run_directories(place)]
    return compare([read_run(directory) for directory in directories])


def write_page(comparison: Comparison, out: Path) -> Path:
    """Writes the page: several strategies compared, or one alone. Returns `out`."""
    template = "compare.html.j2" if len(comparison.groups) > 1 else "report.html.j2"
    write_whole(out, render(comparison, template))
    return out


def render(comparison: Comparison, template: str) -> str:
    """The page as text."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=wording.count, duration=wording.duration, percent=wording.percent)
    first = comparison.first
    return environment.get_template(template).render(
        comparison=comparison,
        first=first,
        scenario=population.title(first),
        users=population.users(first),
        headline=headline(comparison),
        rows=key_figures.rows(comparison.groups),
        charts=charts(comparison),
        sheets=sheets(comparison.groups),
        assumptions=assumptions.assumptions(comparison),
        plain_beside=assumptions.plain_beside(comparison),
        verdicts=_verdicts(comparison),
        command=_command(comparison),
        engines=_engines(comparison),
        plotly=Markup(safe_script(get_plotlyjs())),
    )


def _verdicts(comparison: Comparison) -> list[tuple[str, str, list[str]]]:
    """By run: its name, its verdict, what it missed or why it has none."""
    verdicts = []
    for run in (run for group in comparison.groups for run in group.runs):
        failed = [str(line) for line in run.look_up("verdict", "failed") or []]
        verdicts.append((run.name, run.verdict, failed if run.complete else [run.why]))
    return verdicts


def _command(comparison: Comparison) -> str:
    commands = list(dict.fromkeys(str(run.entry.get("command") or "") for g in comparison.groups for run in g.runs))
    return "\n".join(command for command in commands if command)


def _engines(comparison: Comparison) -> str:
    """Who played the storms, and how time passed."""
    found = []
    for run in (group.runs[0] for group in comparison.groups):
        if run.engine == "sim":
            found.append("simulator: an event for each message and for each pair at the UDM, without octets")
            continue
        speed = f", speed {run.entry['speed']}" if run.entry.get("speed") else ""
        found.append(f"wire, {run.entry.get('clock') or 'clock not recorded'}{speed}")
    return "; ".join(dict.fromkeys(found))


def safe_script(script: str) -> str:
    """Nothing in an inlined script may end its element."""
    return script.replace("</script", "<\\/script")
