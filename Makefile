# Everything runs in .venv, which is built from pyproject.toml when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: demo spark test test-all bench lint docs wheel extras clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.ready: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

# The tests on Spark run where this has been made, and where there is Java; else they skip.
$(VENV)/.spark-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet -e '.[spark]'
	touch $@

spark: $(VENV)/.spark-ready

demo: $(VENV)/.installed
	$(BIN)/dpselect demo

test: $(VENV)/.ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

test-all: $(VENV)/.ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'slow or not slow'

# The peers of the benchmarks live in an environment of their own.
$(BENCH_VENV)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH_VENV)/bin/python -m pip install --quiet -r benchmarks/requirements.txt
	touch $@

bench: $(BENCH_VENV)/.ready
	$(BENCH_VENV)/bin/python -m benchmarks

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	touch $@

# Into site/; a broken link, an unknown name or a missing page is an error.
docs: $(VENV)/.docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Into dist/.
wheel: $(VENV)/.ready
	$(BIN)/python -m build

# The wheel with each extra, in an environment of its own.
extras: $(VENV)/.ready
	$(BIN)/python scripts/check_extras

clean:
	rm -rf $(VENV) $(BENCH_VENV) build dist site .pytest_cache .mypy_cache .ruff_cache
