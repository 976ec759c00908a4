# `make run` and `make test` are all that a fresh clone needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
PORT ?= 8000
DEMO ?= yes
# Compiled modules are kept: a process starts in a third of the time.
unexport PYTHONDONTWRITEBYTECODE

# Makes the catalogues of messages that the site reads, unless they are there: they aren't in the repository.
COMPILE := $(BIN)/python -m config.languages.compiling

.PHONY: install run scaled wheel clients release check test test-faults test-long test-browser looks pictures bench lint

# Running wants fewer packages than developing: each has its lock, and neither removes the other's packages.
install: $(VENV)/installed
	@$(COMPILE)

$(VENV)/uv-$(UV_VERSION):
	@echo "Making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit("Rungs needs Python 3.11 or newer; set PYTHON=...") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(VENV)/installed-to-run: requirements.lock $(VENV)/uv-$(UV_VERSION)
	@echo "Installing what running needs"
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r $<
	@touch $@

$(VENV)/installed: requirements-dev.lock $(VENV)/uv-$(UV_VERSION)
	@echo "Installing what developing needs"
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --require-hashes -r $<
	@touch $@

run: $(VENV)/installed-to-run
	@$(COMPILE)
	@$(BIN)/python manage.py run --with-parent --port $(PORT) $(if $(filter no,$(DEMO)),--no-demo)

# PostgreSQL and Redis by environment variables: docs/operating.md. Web, a worker for each queue and beat on this machine.
scaled: $(VENV)/installed-to-run
	@$(COMPILE)
	RUNGS_PROFILE=scaled $(BIN)/python manage.py run --with-parent --port $(PORT)

# The site as one file that pip installs; docs/operating.md. The time of the commit stands in it, so that it is the same on each machine.
wheel: install
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build --target wheel

# The clients as packages for pip, npm and NuGet, in dist/. Wants Node and npm.
clients: install
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m tools.clients

# A version's files in dist/: docs/contributing.md. VERSION=0.3.0 names a new one, TAG=yes tags it. Nothing is uploaded.
release: install
	$(BIN)/python -m tools.release --check $(VERSION)
	$(MAKE) lint
	$(BIN)/python manage.py messages --check
	$(BIN)/python -m pytest -n 0 --quiet tests/config/test_version.py tests/docs/test_index.py tests/docs/test_community.py
	$(BIN)/python -m tools.release $(VERSION) $(if $(filter yes,$(TAG)),--tag)

# Lint, and the tests that the change since main reaches: about a minute. BASE=HEAD~1: since another commit or branch.
# FILES=100: so many test files at most; the default is 40.
check: install
	@BASE=$(BASE) FILES=$(FILES) $(BIN)/python -m tools.check

# A module's tests stay on one process, which makes what they share once. Left out: what PostgreSQL has proven of this very
# code (tests/support/selection.py).
SUITE := -n auto --dist loadfile --no-loadscope-reorder

test: install
	$(BIN)/python -m pytest $(SUITE)

# Processes killed under load, backup and restore: some minutes. KILLS=300 is a long run; the default is 10, scaled 30.
# PHASE_KILLS=20: so many in each phase of a season's end; the default is 5.
# CLIENT_KILLS=100: so many of a game server and the site that it sends to, for each client; the default is 3.
test-faults: install
	KILLS=$(KILLS) PHASE_KILLS=$(PHASE_KILLS) CLIENT_KILLS=$(CLIENT_KILLS) $(BIN)/python -m pytest -m 'faults and not long' -n auto --dist loadfile tests/journeys

# What takes long (twenty thousand random matches a rating system, a void amid a hundred thousand, whole sites started and
# upgraded), Hypothesis with all its examples, and the whole suite: some minutes.
# HISTORIES=100: so many random histories of seasons a rating system; the default is 2.
# At last the tests of tools.matrix, on versions that the lock doesn't have: some minutes for each of seven environments.
# MATRIX=6.1: those whose name has that word; MATRIX=no: none.
test-long: install
	$(BIN)/python -m pytest $(SUITE) --all
	HISTORIES=$(HISTORIES) $(BIN)/python -m pytest -n auto --dist loadfile -m '(long or hypothesis) and not browser' --hypothesis-profile=long
	$(if $(filter no,$(MATRIX)),,$(BIN)/python -m tools.matrix --only "$(MATRIX)")

# Wants Chromium (Debian: apt-get install chromium-headless-shell, or chromium). Browsers wait half of the time.
test-browser: install
	$(BIN)/python -m pytest -m browser -n $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2) tests/browser

# Pictures of every page to look at, light and dark, on a phone and a desk: var/looks. Wants Chromium, takes minutes.
looks: install
	$(BIN)/python -m pytest -m browser -n auto --dist loadfile tests/browser/looks.py

# The pictures of README.md and docs/, taken anew on the demo's site. Wants Chromium, takes minutes.
pictures: install
	$(BIN)/python -m pytest -m browser -n 1 tests/browser/pictures.py

# Wants a PostgreSQL database of its own by the scaled profile's variables, and fills it.
bench: install
	$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	$(BIN)/python -m bench docs/benchmarks.md

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --check $$(git ls-files '*.html')
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
