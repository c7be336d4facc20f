# make demo: three strategies against one storm, and a report to open. make test: everything that must hold.

VENV := .venv
BIN := $(VENV)/bin
STRATEGIES := self_protection,precise,tiered
SAMPLE := 100
REPORTS :=
# Where pytest leaves what was skipped, for .ci/run: a folder with a slash behind it.
PYTEST = $(BIN)/python -m pytest -m "not slow" -rs

# The first Python that is new enough; empty if there is none.
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$candidate; break; fi; done)

.PHONY: demo test bench clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	$(BIN)/regstorm compare scenarios/outage_return.yaml --strategies $(STRATEGIES) --sample $(SAMPLE)

test: $(VENV)/.installed-dev
	$(PYTEST) -n 2 --dist worksteal --ignore tests/locust $(if $(REPORTS),--junitxml=$(REPORTS)tests.xml)
	$(PYTEST) tests/locust $(if $(REPORTS),--junitxml=$(REPORTS)locust-tests.xml)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-dev
	set -e; for bench in $(filter-out bench/soak.py,$(wildcard bench/*.py)); do echo "== $$bench"; $(BIN)/python $$bench; done

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is missing: apt-get install python3 (or python3.11)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "Python's venv module is missing: apt-get install $(notdir $(PYTHON))-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
