# make demo | make test | make check | make bench: each does all set-up it needs, in its own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VSCODE := client-vscode
NODE_READY := $(VSCODE)/node_modules/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check bench torture fix clean package wheel vscode-check test-editor editor-downloads vscode pictures

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY) ## Make .venv with the server and everything to develop it

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Pincite needs Python 3.10 or newer; this is " + sys.version.split()[0] + " (make PYTHON=python3.12 ...)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## Rank the examples' placeholders and show evidence for their citations
	$(BIN)/pincite recommend examples/survey.tex --top 3
	$(BIN)/pincite evidence examples/survey.tex --sentences 1

test: $(READY) ## Run the tests, but for the slow ones
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

test-slow: $(READY) ## Run the slow tests, and the VS Code extension in the editor
	$(BIN)/python -m pytest -n auto --dist loadfile -m slow
	@if why=$$($(EDITOR_TESTS)/needs.sh) && $(MAKE) --no-print-directory editor-downloads; \
	then $(MAKE) --no-print-directory test-editor; \
	else echo "The VS Code extension was not tested in the editor: $${why:-a package could not be downloaded}."; fi

check: $(READY) ## Lint, types, layers, all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto --dist loadfile
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory vscode-check; \
	else echo 'The VS Code extension was not checked: npm is not here.'; fi

DATA ?= ../shared/data

bench: $(READY) ## Measure speed at the size of real libraries, in less than a quarter of an hour
	$(BIN)/python -m benchmarks.speed --data $(DATA)

SIZE ?= full

torture: $(READY) ## Attack the product for a quarter of an hour (SIZE=ci: four minutes, SIZE=nightly: a night)
	PYTHONPATH=tests:. PINCITE_DATA=$(abspath $(DATA)) $(BIN)/python -m torture --size $(SIZE)

package: dist/.packaged ## Make the VS Code extension and the server's wheel, in dist/

SERVER_SOURCES := pyproject.toml README.md LICENSE $(shell find server -type f -not -name '*.pyc')
VSCODE_SOURCES := $(shell find $(VSCODE) \( -name node_modules -o -name dist -o -name out -o -name bundled \) -prune -o -type f -print)

dist/.packaged: $(NODE_READY) dist/.wheel-made $(VSCODE_SOURCES)
	rm -f dist/*.vsix
	cd $(VSCODE) && npm run --silent package </dev/null
	@touch $@

wheel: dist/.wheel-made

dist/.wheel-made: $(READY) $(SERVER_SOURCES)
	rm -rf dist $(VSCODE)/bundled
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	mkdir -p $(VSCODE)/bundled && cp dist/pincite-*.whl $(VSCODE)/bundled/
	@touch $@

vscode-check: $(NODE_READY) ## Types, lint and unit tests of the VS Code extension
	cd $(VSCODE) && npm run --silent check

VSCODE_SERVER := build/vscode
EDITOR_TESTS := tests/editor/vscode

test-editor: editor-downloads dist/.packaged ## Test the VS Code extension, also in a real VS Code (needs Chromium)
	cd $(VSCODE) && npm run --silent test
	node $(EDITOR_TESTS)/run.mjs

vscode: editor-downloads dist/.packaged ## Try the extension on the examples, in a browser
	node $(EDITOR_TESTS)/serve.mjs

pictures: editor-downloads dist/.packaged ## Make the pictures of the extension's README again
	node $(EDITOR_TESTS)/pictures.mjs

editor-downloads: $(NODE_READY) $(VSCODE_SERVER)/.ready $(EDITOR_TESTS)/node_modules

$(VSCODE_SERVER)/.ready: $(EDITOR_TESTS)/setup.sh $(EDITOR_TESTS)/spdlog.cjs
	$< $(VSCODE_SERVER)

$(EDITOR_TESTS)/node_modules: $(EDITOR_TESTS)/package-lock.json
	cd $(EDITOR_TESTS) && npm ci --silent
	@touch $@

$(NODE_READY): $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --silent
	@touch $@

fix: $(READY) ## Format and mend what ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove what was made here
	rm -rf $(VENV) dist build $(VSCODE)/node_modules $(VSCODE)/bundled $(VSCODE)/dist $(VSCODE)/out $(EDITOR_TESTS)/node_modules \
	   .mypy_cache .ruff_cache .pytest_cache .hypothesis
