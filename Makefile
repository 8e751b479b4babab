# Two commands do all the set-up on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE :=  # tests start many processes; without bytecode each would compile all of it anew

KERNELS := $(wildcard labelguard/kernels/*.[ch] building/*.py)  # what the compiled kernels are made from, and by

.PHONY: demo test quick lint browser-check bench exam calibrate gpu-check fixtures docs bare wheels sanitize fuzz clean

demo: $(VENV)/.installed fixtures
	@echo
	@echo '$$ labelguard scan masks --num-classes 8'
	@cd .demo && ../$(BIN)/labelguard scan masks --num-classes 8 --fail-on never

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto --dist worksteal

quick: $(VENV)/.test  # after each edit: every room with few examples, without what is slow
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" --hypothesis-profile=quick --ignore=tests/gpu

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

browser-check: $(VENV)/.test  # pages in a headless Chromium, where one is installed
	$(BIN)/python -m tests.browser

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.scan --write
	$(BIN)/python -m benchmarks.stages --write
	$(BIN)/python -m benchmarks.pairs --write
	$(BIN)/python -m benchmarks.growth --write
	$(BIN)/python -m benchmarks.probe --write
	$(BIN)/python -m benchmarks.guarded_loss --write

gpu-check:  # no environment of its own: the interpreter that has torch, numpy, Pillow and click
	PYTHONPATH=. $(PYTHON) -m tests.gpu

exam: $(VENV)/.test
	$(BIN)/python -m fixtures.exam.run

calibrate: $(VENV)/.test
	$(BIN)/python -m fixtures.exam.calibrate

fixtures: $(VENV)/.installed
	$(BIN)/python -m fixtures.make .demo

docs: $(VENV)/.test
	$(BIN)/python -m pytest -q tests/test_docs.py

sanitize: SANITIZED := $(CC) -g -O1 -std=c99 -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all -DSCRATCH_BLOCK=0
sanitize: $(VENV)/.test  # any bytes through the kernels under AddressSanitizer and UBSan, then the tests that call them, in a copy
	rm -rf .sanitize && mkdir .sanitize && cp -r labelguard pipelines tests docs pyproject.toml setup.cfg .sanitize/
	$(SANITIZED) -DALONE labelguard/kernels/*.c tests/kernels/*.c -o .sanitize/fuzz
	.sanitize/fuzz 200000
	$(SANITIZED) -fPIC -shared labelguard/kernels/*.c -o .sanitize/labelguard/kernels/_native.so
	cd .sanitize && LABELGUARD_FUZZ=20000 ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)" \
		$(CURDIR)/$(BIN)/python -m pytest -q tests/kernels tests/files tests/stages
	rm -r .sanitize

fuzz:  # the same bytes, chosen by a compiler that has libFuzzer: make fuzz CC=clang
	$(CC) -g -O1 -std=c99 -fsanitize=fuzzer,address,undefined -DSCRATCH_BLOCK=0 labelguard/kernels/*.c tests/kernels/*.c -o .fuzz
	./.fuzz -max_total_time=600

bare:
	$(PYTHON) -m venv --clear .bare
	.bare/bin/pip install --quiet .
	.bare/bin/labelguard --help
	rm -r .bare

wheels: $(VENV)/.wheels  # for each system, into dist/
	$(BIN)/python -m building.wheels

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo 'labelguard needs Python 3.11 or newer: make PYTHON=python3.11'; exit 1)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python setup.cfg pyproject.toml $(KERNELS)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.bench $(VENV)/.wheels: $(VENV)/.%: $(VENV)/bin/python setup.cfg pyproject.toml $(KERNELS)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) .demo .bare .sanitize .fuzz build dist *.egg-info labelguard/kernels/_native.*
