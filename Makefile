# Everything sets itself up: Python 3.11 or later with venv, and make, are all that must be there.

PYTHON ?= python3
VENV := .venv
SPARK := .venv-spark
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(BIN)/python building/install_packages.py
SAMPLE := examples/sample/pages.warc.gz
TOOLS := build/supply-chain-venv
STORE := build/store-venv
RELEASE := build/release-venv
LOWEST := build/lowest-venv
DOCS := build/docs-venv
BACKEND := build/backend
UV := $(BACKEND)/bin/uv
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

# The demo and the tests start Python many times: each start reads compiled modules, and compiles none again.
unexport PYTHONDONTWRITEBYTECODE

KERNELS := $(shell find src -name '*_kernels.py' -o -name '*.pxd') setup.py building/backend.py

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's|^\([a-z-]*\):.*## .*|\1|p' Makefile)

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

install: $(VENV)/.installed  ## make .venv with Diglot in it

demo: $(VENV)/.installed  ## harvest the sample and show what came out
	@$(BIN)/diglot harvest $(SAMPLE) -l en,de,fr,ja -o demo-run
	@echo
	@echo "demo-run/out/en-fr.tmx begins:"
	@$(BIN)/python examples/first_segments.py demo-run/out/en-fr.tmx
	@echo
	@echo "To type the commands above as printed, first: . $(BIN)/activate"

# One process more than cores, since tests wait, too: for browsers, time limits and programs that end. They sync many
# small files, which costs nothing in memory, where 2 GB must be free.
test: $(VENV)/.installed-dev  ## run the tests
	@if [ -z "$$TMPDIR" ] && [ "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)" -gt 2000000 ] 2>/dev/null; then \
		export TMPDIR=/dev/shm; fi; \
	$(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print(os.cpu_count() + 1)') --dist loadfile -m "not slow"

# What is marked slow: kills, floods, attacks, second walks through a browser, and more cases of tests that run always.
test-slow: $(VENV)/.installed-dev  ## the tests that `make test` leaves out, but for Spark: ONLY=tests/crawl
	@$(BIN)/python -m pytest -n auto -m slow $(or $(ONLY),tests)

lint: $(VENV)/.installed-dev  ## style, types, and who imports whom
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/mypy --strict examples docs
	@$(BIN)/lint-imports

check: lint test  ## all that must pass before a commit

bench: $(VENV)/.installed-dev  ## what a harvest costs here by stage, as ratios: SITE=pages.warc.gz LANGS=en,fr AGAINST=src
	@$(BIN)/python benchmarks/warc_read.py $(SAMPLE)
	@$(BIN)/python benchmarks/align_lengths.py
	@$(BIN)/python benchmarks/stage_costs.py en,de,fr,ja $(SAMPLE) $(if $(AGAINST),--against "$(AGAINST)")
	@test -z "$(SITE)" || $(BIN)/python benchmarks/stage_costs.py $(or $(LANGS),en,fr) "$(SITE)" $(if $(AGAINST),--against "$(AGAINST)")

crawl-safety: $(VENV)/.installed-dev  ## look-alikes, sitemaps, traps and stalls against the crawler; see attack-* for the rest
	@$(BIN)/python benchmarks/crawl_hostile.py

crawl-counting: $(VENV)/.installed-dev  ## what hostile hosts draw from a crawl in ten virtual minutes, by behaviour
	@$(BIN)/python benchmarks/crawl_counting.py

crawl-kill: $(VENV)/.installed-dev  ## 200 kills of crawls of 500 pages, counted by the server
	@$(BIN)/python benchmarks/crawl_kill.py --kills 200

ui-kill: $(VENV)/.installed-dev  ## 40 kills of the workbench's server during harvests: the runs must have the same bytes
	@PYTHONPATH=tests $(BIN)/python benchmarks/ui_kill.py --kills 40

ui-upload: $(VENV)/.installed-dev  ## files of 1 GB and above the limit sent to the workbench: memory, disk, answers
	@$(BIN)/python benchmarks/ui_upload.py

crawl-order: $(VENV)/.installed-dev  ## share of pages fetched with their version: PAGES=site.warc.gz GOLD=gold.tsv START=URL
	@test -n "$(PAGES)" -a -n "$(GOLD)" -a -n "$(START)" || { echo "say PAGES=, GOLD= and START=" >&2; exit 2; }
	@$(BIN)/python benchmarks/crawl_order.py "$(PAGES)" "$(GOLD)" "$(START)" $(if $(LANGS),-l $(LANGS))

# Java is the system's (Debian: default-jre-headless); ONLY= is for CI, which leaves out what takes minutes.
spark-test: $(SPARK)/.installed  ## tasks on Spark: two executors of this machine, then a master and two workers
	@java -version 2>/dev/null || { echo "no Java: apt install default-jre-headless" >&2; exit 1; }
	@$(SPARK)/bin/python -m pytest -m "$(or $(ONLY),slow or not slow)" tests/spark

store-test: $(VENV)/.installed-dev $(STORE)/.installed  ## the tests of object stores, against an S3 on loopback
	@MOTO_SERVER=$(STORE)/bin/moto_server $(BIN)/python -m pytest tests/disk tests/pages

ATTACKS := addresses rebinds report bombs warcs updates sites kills commands documents pages
ATTACK = PYTHONPATH=benchmarks $(BIN)/python -m attack $(1) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	$(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(CORPUS),--corpus "$(CORPUS)") \
	$(if $(ONLY),--only $(ONLY))

attack: $(VENV)/.installed-dev  ## all attacks at full figures, hours: the same command goes on; ROUNDS= SECONDS= SEED=
	@failed=0; for name in $(ATTACKS); do $(MAKE) --no-print-directory attack-$$name || failed=1; done; exit $$failed

attack-pages: $(VENV)/.installed-dev  ## 1,000,000 mutated pages through the workers that read: CORPUS=folder ONLY=round
	@$(call ATTACK,pages)

attack-documents: $(VENV)/.installed-dev  ## 100,000 mutated PDF, DOCX, ODT and EPUB through the same workers: CORPUS=folder
	@$(call ATTACK,documents)

attack-sites: $(VENV)/.installed-dev  ## 1,000 small sites of mutated pages harvested whole
	@$(call ATTACK,sites)

attack-kills: $(VENV)/.installed-dev  ## 1,000 kills of a harvest over all stages, the bytes compared
	@$(call ATTACK,kills)

attack-commands: $(VENV)/.installed-dev  ## 1,000 kills of crawl, update, forget, export, merge, tasks and others
	@$(call ATTACK,commands)

attack-addresses: $(VENV)/.installed-dev  ## 2,400 hostile addresses by eight ways against the crawler's guard
	@$(call ATTACK,addresses)

attack-rebinds: $(VENV)/.installed-dev  ## 1,000 names that change their answer
	@$(call ATTACK,rebinds)

attack-warcs: $(VENV)/.installed-dev  ## 2,200 damaged archives
	@$(call ATTACK,warcs)

update-attack: $(VENV)/.installed-dev  ## every bad answer for pages that came well before, then a healthy site
	@$(call ATTACK,updates)

attack-updates: update-attack  ## the same

attack-bombs: $(VENV)/.installed-dev  ## 145 bombs up to 100 GiB
	@$(call ATTACK,bombs)

attack-report: $(VENV)/.installed-dev  ## 320 payloads in the report and sample.html, opened in Chromium
	@$(call ATTACK,report)

# axe-core is MPL-2.0 and a tool of the tests only: it is fetched by npm, and neither shipped nor in the lock.
axe: $(VENV)/.installed-dev  ## what axe-core finds in the report and the workbench, in Chromium: needs npm
	@npm install --no-save --silent --prefix build/axe axe-core@4.14.1
	@$(BIN)/python -m pytest tests/report/test_accessible.py tests/workbench/test_workbench_accessible.py

report-speed: $(VENV)/.installed-dev  ## size, opening and searches of a report of 100,000 segments: RUN=folder
	@test -n "$(RUN)" || { echo "say RUN=, a finished run" >&2; exit 2; }
	@$(BIN)/python benchmarks/report_speed.py "$(RUN)"

regex-attack: $(VENV)/.installed-dev  ## every regular expression on lines of 1 MB made to cost it the most
	@$(BIN)/python benchmarks/regex_attack.py

docs: $(VENV)/.installed-dev  ## put what the examples print now into README, docs and the notebook
	@$(BIN)/python docs/write_reference.py
	@$(BIN)/python docs/run_examples.py --write
	@$(BIN)/python docs/write_notebook.py

docs-site: $(DOCS)/.installed  ## the pages of docs as a site in build/site; a link that leads nowhere is an error
	@rm -rf build/site
	@$(DOCS)/bin/python -m sphinx -q -W --keep-going -n -c docs/site -d build/site-doctrees docs build/site
	@! grep -rlE '<(script|link|img)[^>]*(src|href)="https?:' build/site --include='*.html' \
	|| { echo "these pages of the site load something from elsewhere" >&2; exit 1; }
	@echo "wrote build/site/index.html"

pins: $(VENV)/.installed-dev  ## write the pinned figures of the sample anew
	@$(BIN)/python tests/write_page_pins.py
	@$(BIN)/python tests/pairing/fused/write_sample_pins.py
	@$(BIN)/python tests/pairing/fused/write_outcome_pins.py
	@PYTHONPATH=tests $(BIN)/python tests/alignment/made_bead_pins.py
	@$(BIN)/python tests/corpus/write_corpus_pins.py
	@$(BIN)/python tests/recipes/write_recipe_pins.py
	@$(BIN)/python tests/results/write_results_pins.py

train-column: $(VENV)/.installed-dev  ## numbers of one column of fused from the sample and made sites: NAME=column [WRITE=1]
	@test -n "$(NAME)" || { echo "say NAME=, a column of COLUMNS in src/diglot/pairing/fused/evidence.py" >&2; exit 2; }
	@$(BIN)/python benchmarks/train_column.py "$(NAME)" $(if $(WRITE),--write)

release-check: $(RELEASE)/.installed $(BACKEND)/.installed  ## build wheel and sdist; install, harvest and test them: PYTHONS="..."
	@PYTHONPATH="$(CURDIR)/$(BACKEND)" $(RELEASE)/bin/python building/release_check.py $(PYTHONS)

# Hashes of the files for every system, and Python from 3.11 on; pip and this machine's wheels do not know those.
lock: $(BACKEND)/.installed  ## renew all requirements*.lock, with hashes, from pyproject.toml
	$(COMPILE) --upgrade pyproject.toml --extra crawl --extra documents --extra ui -o requirements.lock
	$(COMPILE) --upgrade pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
	$(COMPILE) --upgrade pyproject.toml --extra crawl --extra documents --extra ui --extra spark -c requirements.lock -o requirements-spark.lock
	$(PYTHON) building/requirements.py build | $(COMPILE) --upgrade - --group pyproject.toml:installer -o requirements-build.lock
	$(COMPILE) --upgrade --group pyproject.toml:docs -o requirements-docs.lock
	$(PYTHON) building/requirements.py compiler | $(COMPILE) --upgrade - -o requirements-compiler.lock

# Warnings are no errors there: old versions are not written for the new ones of what they require themselves.
lowest: $(BACKEND)/.installed  ## the tests with the lowest versions that pyproject.toml admits of what it names
	@$(PYTHON) -m venv --clear $(LOWEST)
	@$(UV) pip install --quiet --python $(LOWEST) --resolution lowest-direct ".[dev,pandas,polars]"
	@$(LOWEST)/bin/python -m pytest -n auto -m "not slow" -W default

licences: $(VENV)/.installed  ## licences of what is installed from the lock; fails for copyleft without a reason
	@$(BIN)/python supply_chain/licences.py requirements.lock

vulnerabilities: $(TOOLS)/.installed  ## known ones in the lock: asks PyPI, or VULNERABILITIES=folder or zip of OSV records
	@$(TOOLS)/bin/python supply_chain/vulnerabilities.py requirements.lock $(VULNERABILITIES)

sbom: $(TOOLS)/.installed  ## dist/sbom.json: what a release is made of (CycloneDX), from the lock
	@mkdir -p dist
	@$(TOOLS)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --of JSON \
		--validate -o dist/sbom.json
	@echo "wrote dist/sbom.json"

flip-bits: $(VENV)/.installed-dev  ## 300 flipped bits a file of a run: none is read as other content
	@$(BIN)/python benchmarks/flip_bits.py

odd-lines: $(VENV)/.installed-dev  ## LINES=20000 odd command lines: no traceback, known exit codes
	@ODD_LINES=$(or $(LINES),20000) ODD_SEED=$(or $(SEED),1) $(BIN)/python -m pytest tests/trust/test_odd_command_lines.py

clean:  ## remove what make made, .venv included
	rm -rf $(VENV) $(SPARK) demo-run build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src -name "*.abi3.so" -delete
	find src tests examples docs benchmarks building -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: $(VENV)/.required $(KERNELS)
	@echo "compiling Diglot, less than half a minute"
	@PYTHONPATH="$(CURDIR)/$(BACKEND)" $(UV) pip install --quiet --offline --python $(BIN)/python --reinstall --no-deps \
		--no-build-isolation --editable .
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Diglot needs Python 3.11 or later with venv (Debian: apt install python3-venv)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

# What builds and installs Diglot, by the hashes of its own locks; the compiler only where this machine has none.
$(BACKEND)/.installed: requirements-build.lock requirements-compiler.lock | $(VENV)/.made
	@rm -rf $(BACKEND)
	@$(PIP) install --no-compile --require-hashes --target $(BACKEND) -r requirements-build.lock
	@if PYTHONPATH="$(CURDIR)/$(BACKEND):building" $(BIN)/python -c 'import sys, backend; sys.exit(backend.has_compiler())'; then \
		$(PIP) install --require-hashes --target $(BACKEND) -r requirements-compiler.lock; fi
	@touch $@

$(VENV)/.required: pyproject.toml requirements.lock $(BACKEND)/.installed
	@$(INSTALL) $(VENV) requirements.lock $(UV)
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@$(INSTALL) $(VENV) requirements-dev.lock $(UV)
	@touch $@

# Half a gigabyte beside what .venv has, which it sees; Diglot and pytest are those of .venv.
$(SPARK)/.installed: $(VENV)/.installed-dev requirements-spark.lock
	@test -x $(SPARK)/bin/python || $(PYTHON) -m venv $(SPARK)
	@echo "import site; site.addsitedir('$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
	> $$($(SPARK)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/beside.pth
	@echo "installing pyspark into $(SPARK)"
	@$(SPARK)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --require-hashes -r requirements-spark.lock
	@touch $@

$(TOOLS)/.installed:
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip --disable-pip-version-check --quiet install pip-audit 'cyclonedx-bom[validation]'
	@touch $@

# Sphinx and its theme, 100 MB, which no test needs.
$(DOCS)/.installed: requirements-docs.lock
	@$(PYTHON) -m venv $(DOCS)
	@$(DOCS)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements-docs.lock
	@touch $@

$(RELEASE)/.installed:
	@$(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip --disable-pip-version-check --quiet install build twine uv
	@touch $@

# moto's server for S3 alone; with what it needs 112 MB, too much for the environment of every test.
$(STORE)/.installed:
	@$(PYTHON) -m venv $(STORE)
	@$(STORE)/bin/python -m pip --disable-pip-version-check --quiet install 'moto[s3]>=5.2.5' flask flask-cors
	@touch $@
