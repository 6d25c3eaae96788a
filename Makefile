# Everything runs in .venv, which is built from pyproject.toml when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: demo test test-all bench lint clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

demo: $(VENV)/.ready
	$(BIN)/dpselect demo

test: $(VENV)/.ready
	$(BIN)/python -m pytest -n $(WORKERS)

test-all: $(VENV)/.ready
	$(BIN)/python -m pytest -n $(WORKERS) -m 'slow or not slow'

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
