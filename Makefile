# Everything runs in .venv, which is made on first use from Python 3.11+ and pip alone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types layers check benchmark experiments fuzz soak mutants lowest pythons audit dist picture docs clean
.DEFAULT_GOAL := demo

.venv/core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("condmmd needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	touch $@

.venv/test: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

.venv/dev: .venv/test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,dev]'
	touch $@

.venv/docs: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

demo: .venv/core  ## the main job on real data that scikit-learn ships; writes build/demo.html
	$(BIN)/condmmd demo --folder build

test: .venv/test  ## all tests, and the examples in the documentation
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports

check: test lint types layers

benchmark: .venv/test  ## speed against the literal formula
	$(BIN)/python -m benchmarks.levels

experiments: .venv/test  ## every experiment of the paper against its published numbers; about 25 minutes on 2 cores
	$(BIN)/python -m experiments

fuzz: .venv/test  ## 5,000 generated calls of the functions, and 2,000 tables and argument lists through the command line
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --calls 5000
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 FUZZ_EXAMPLES=2000 $(BIN)/python -m pytest -q tests/app -k fuzz

soak: .venv/test  ## 20,000 small calls and 200 command lines, with little memory and random kills; SCALE=0.01 for a look
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.soak --scale $(or $(SCALE),1)

mutants: .venv/test  ## break the code on purpose; every break must make its test fail
	$(BIN)/python -m tests.mutants

lowest:  ## the tests that touch other packages, with the lowest versions of them that we allow
	PYTHON=$(PYTHON) .ci/lowest

pythons:  ## a short look at every Python that we say we run on, where there is one
	.ci/pythons

audit: .venv/core  ## known vulnerabilities of what is installed; status 3 of the script if they could not be looked up
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet --disable-pip-version-check 'pip-audit>=2.7'
	build/audit/bin/python .ci/audit.py .venv/lib/python*/site-packages

dist: .venv/dev  ## wheel and source archive of the last commit in dist/, built twice: the same bytes, or an error
	$(BIN)/python .ci/dist.py --no-isolation

picture: .venv/dev  ## the picture of the README
	$(BIN)/python docs/picture.py

docs: .venv/docs  ## the site in build/site, its gallery executed, a warning is an error; then every page and link is looked at
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	$(BIN)/python .ci/site.py build/site

clean:
	rm -rf .venv build docs/generated .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
