# The same verbs everywhere: `make run`, `make test`, `make check`. Each sets up what it needs.
PORT ?= 8501
# Not ?=: some shells export HOST, and the machine's name there would open the dashboard to the network.
HOST = 127.0.0.1
TESTS ?= tests
# Many a test waits for a server or a browser, so more of them than processors. With eight, two processors worked a
# seventh more for the same tests than with four, and a tenth longer; four left them idle for a fifteenth of the time.
WORKERS ?= 5

# Nothing, or what an environment is made anew for: the Python that it was made from is gone.
GONE = $(if $(realpath .venv/bin/python),,gone)

.PHONY: run demo cluster test soak programs check format clean help gone

help:
	@echo "make run [PORT=8501]    start the dashboard and, with nothing configured, a service beside it"
	@echo "     [HOST=0.0.0.0]     for the network, which needs a login (docs/operation.md); else for this machine only"
	@echo "make demo [PORT=8501]   the same, with a wall screen composed and a tour of six stops that opens"
	@echo "make cluster            two services, two dashboards and all that they share, on this machine until Ctrl-C"
	@echo "make test [TESTS=tests] run the tests, a real browser included"
	@echo "make soak               run the tests that last long because they must"
	@echo "make check              lint, formatting, types, import rules"
	@echo "make format             let ruff format and mend what it can"
	@echo "make clean              remove the environment and caches; counts in .headroom stay"

run: .venv/run.stamp
	@exec .venv/bin/streamlit run app.py --server.address $(HOST) --server.port $(PORT)

demo: .venv/run.stamp
	@HEADROOM_DEMO=1 HEADROOM_BASE_URL= HEADROOM_API_KEY= exec .venv/bin/streamlit run app.py \
		--server.address $(HOST) --server.port $(PORT) --server.headless true

cluster: .venv/test.stamp
	@scripts/nginx
	@scripts/postgresql
	@scripts/nats
	@scripts/clickhouse
	@exec .venv/bin/python -m benchmarks.cluster

# Some environments forbid Python to keep what it has compiled: each process of a run would compile all anew.
test soak: export PYTHONDONTWRITEBYTECODE =

test: programs
	.venv/bin/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not soak" $(TESTS)

soak: programs
	.venv/bin/python -m pytest --numprocesses $(WORKERS) -m soak $(TESTS)

# What the tests start beside Python.
programs: .venv/test.stamp
	@scripts/browser
	@scripts/nginx
	@scripts/mosquitto
	@scripts/nats
	@scripts/postgresql
	@scripts/clickhouse

check: .venv/test.stamp
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/python -m pytest -q tests/test_import_rules.py

format: .venv/test.stamp
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/run.stamp: requirements.txt constraints.txt $(GONE)
	@scripts/environment requirements.txt
	@touch $@

.venv/test.stamp: requirements-dev.txt requirements.txt constraints.txt $(GONE)
	@scripts/environment requirements-dev.txt
	@touch $@ .venv/run.stamp
