# Everything a player, host or engineer runs. Nothing is needed but make, git and Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin
DEV := .venv/.dev

# Python keeps what it has compiled, also where the environment forbids it: every worker and bot of the tests is a process
# of its own, and each would compile all of it anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: play test gallery figures test-postgres compose-steps tests walk quick cases laws pictures showcase playthroughs bench load readers rounds answers arena crash gaps failures fuzz strict mutants lint style types walls format clean pins

play: $(DEV)  ## play in the browser, without a Discord account
	$(BIN)/war-galley sandbox $(ARGS)

test: $(DEV)  ## lint, types, structure and every test
	$(MAKE) --no-print-directory -j4 lint tests

walk: $(DEV)  ## each game from the first minute to its end as somebody new plays it, on a phone and at a desk: figures into docs/measurements.md, pictures into build/walk/
	WALK=everywhere $(BIN)/pytest -n 0 -s tests/e2e/test_walk.py tests/e2e/test_season_walk.py; missed=$$?; \
	$(BIN)/python -m tests.e2e.figures && exit $$missed

gallery: $(DEV)  ## every game's first panels and first report as a phone shows them, into build/gallery/; beside those of an older checkout: ARGS="--before ../old"
	$(BIN)/python -m tests.e2e.gallery $(ARGS)

figures: $(DEV)  ## how easy the code is to read: lines, docstrings, vague names, names that mean two things, complexity
	$(BIN)/python -m tests.figures $(ARGS)

quick: $(DEV)  ## lint, types, and the tests that the last changes can break: while one works
	$(BIN)/python -m tests.quick

cases: $(DEV)  ## every numbered rule, its cases and their verdict
	$(BIN)/python -m tests.cases.table

laws: $(DEV)  ## the slow run of all laws: 10,000 crowded cases a symmetry, long random games
	LAWS=long $(BIN)/pytest tests/laws tests/rules tests/bot/test_twins.py --timeout 3600
	LAWS=long $(BIN)/pytest -m long --timeout 3600

pictures: $(DEV)  ## draw the golden pictures again, with a gallery of old beside new in build/
	$(BIN)/python -m tests.pictures.regenerate

showcase: $(DEV)  ## make the pictures of README and docs again; some of them: ARGS="film fleet-panel"
	$(BIN)/python -m tests.showcase $(ARGS)

playthroughs: $(DEV)  ## write the golden games again
	$(BIN)/python -m tests.playthroughs.regenerate

bench: $(DEV)  ## what takes how long, against anchors measured in the same run
	$(BIN)/python -m tests.bench $(ARGS); missed=$$?; \
	$(MAKE) --no-print-directory load && exit $$missed

load: $(DEV)  ## starting with 10,000 games, 200 at once, and ten large ones due at once, through a Discord on this machine
	$(BIN)/python -m tests.bench.load $(LOAD)

readers: $(DEV)  ## a game's page in a browser 400 pixels wide: first paint, size, a step of the replay; and how 1,000 readers slow the bot
	$(BIN)/python -m tests.bench.pages
	$(BIN)/python -m tests.bench.readers

rounds: $(DEV)  ## rounds a day on two cores, pictures included, game by game
	$(BIN)/python -m tests.bench.rounds $(ROUNDS)

answers: $(DEV)  ## the longest answers of computer captains, in the largest games
	$(BIN)/python -m tests.bench.answers $(ARGS)

arena: $(DEV)  ## computer captains against each other: when blows fall in a first duel, who wins how much, how long they think; GAME=ramspeed, squadrons, campaign, fleets (of War Galley, for points), scenarios (how even every scenario and ready fleet of every game is), hints (what they alone win in a first game), or hopeless (which sides hardly ever win any more)
	$(BIN)/python -m tests.arena$(addprefix .,$(GAME)) $(ARGS)

test-postgres: $(DEV)  ## the tests of the bot once more, each on a real PostgreSQL
	TESTS_ON=postgres $(BIN)/pytest tests/bot tests/toygame tests/attacks

compose-steps: $(DEV)  ## what compose.yaml and the Dockerfile say, step by step, where no container engine is at hand
	$(BIN)/python -m tests.compose

crash: $(DEV)  ## kill the bot at every commit and every sending of a game, and disturb several bots on one PostgreSQL, at last with forty games: what is lost; EVERY="5 season" for less
	$(BIN)/python -m tests.crash.harness $(EVERY)
	$(BIN)/python -m tests.crash.harness $(EVERY) --postgres
	$(BIN)/python -m tests.crash.fleet
	$(BIN)/python -m tests.crash.together

gaps: $(DEV)  ## time that captains cannot use: 500 gaps a game on a clock that is set, then 20 with processes that are killed, stopped or cut off
	GAPS=500 $(BIN)/pytest -n 2 tests/gaps/test_on_a_clock.py tests/gaps/test_columns.py tests/gaps/test_killed.py
	$(BIN)/python -m tests.gaps.processes 4

failures: $(DEV)  ## each failure in docs/reference.md, on a real bot: what it prints, how it ends, how it recovers; some: ARGS="token disk"
	$(BIN)/python -m tests.crash.failures $(ARGS)

fuzz: $(DEV)  ## seeded nonsense to every entry point, three minutes or ARGS="--minutes 60"
	$(BIN)/python -m tests.fuzz $(ARGS)

strict: $(DEV)  ## the five games and a week of a season under Discord's own refusals; some of them: ARGS="matchbox --answers 20"
	$(BIN)/python -m tests.strict $(ARGS)

mutants: $(DEV)  ## break the modules of a round in small ways; fails if the tests notice less than 90 % (an hour or more; ARGS="--modules damage --tenths 2")
	$(BIN)/python -m tests.mutants $(ARGS)

lint: style types walls

tests: $(DEV)  # in a fresh clone they are compiled once here, and not by each process that tests
	@test -d tests/__pycache__ || $(BIN)/pytest -n 0 --collect-only -qq > /dev/null || true
	$(BIN)/pytest

style: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

walls: $(DEV)
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pins: $(DEV)  ## pin the newest versions of what requirements/*.in name
	for of in run postgres interactions build dev pins; do $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --upgrade requirements/$$of.in -o requirements/$$of.txt; done

# uv takes seconds where pip takes a minute. Of pip's configuration it knows only what the environment says of an index;
# where it can't install, pip does.
$(DEV): export UV_INDEX_URL ?= $(PIP_INDEX_URL)
$(DEV): export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
$(DEV): requirements/dev.txt requirements/pins.txt pyproject.toml
	@echo "Installing what this needs into .venv: once."
	$(PYTHON) -m venv .venv
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/pins.txt
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --require-hashes -r requirements/dev.txt || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --no-deps --no-build-isolation --editable . || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf .venv build *.egg-info
