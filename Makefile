# Paths are relative and quoted where a shell sees them, so the folder may have a space in its name.
# Nothing here needs more than GNU make 3.81, the one that macOS ships.

PYTHON_IN_VENV := .venv/bin/python
INSTALL := $(PYTHON_IN_VENV) -m pip install --quiet --disable-pip-version-check --require-hashes \
	--only-binary :all:
LOCK := $(PYTHON_IN_VENV) -m uv pip compile --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock"
CHECKED := app.py pages evalcore assets tests

.PHONY: help app test bench format lock clean

help:
	@echo "make app     start Margin on http://localhost:8501"
	@echo "make test    lint, type-check and run every test, those in a browser too"
	@echo "make bench   measure the speed of the package beside scikit-learn and scipy"
	@echo "make format  put the code into the form that make test asks for"
	@echo "make lock    pin the dependencies anew, after a change of requirements.txt"
	@echo "make clean   remove everything that make has made"

app: .venv/app.stamp
	$(PYTHON_IN_VENV) -m streamlit run app.py --server.address localhost --server.port 8501

test: .venv/test.stamp
	sh tests/browser/install.sh $(PYTHON_IN_VENV)
	$(PYTHON_IN_VENV) -m ruff format --check $(CHECKED)
	$(PYTHON_IN_VENV) -m ruff check $(CHECKED)
	$(PYTHON_IN_VENV) -m mypy
	$(PYTHON_IN_VENV) -m pytest -n 2

bench: .venv/test.stamp
	$(PYTHON_IN_VENV) -m pytest tests/benchmarks -m benchmark -q -s

format: .venv/test.stamp
	$(PYTHON_IN_VENV) -m ruff check --fix-only $(CHECKED)
	$(PYTHON_IN_VENV) -m ruff format $(CHECKED)

lock: .venv/venv.stamp
	$(PYTHON_IN_VENV) -m pip install --quiet --disable-pip-version-check uv
	$(LOCK) requirements.txt -o .ci/requirements.lock
	$(LOCK) tests/requirements.txt -c .ci/requirements.lock -o .ci/requirements-dev.lock

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/venv.stamp:
	@PYTHON="$(PYTHON)" sh .ci/venv.sh
	@touch $@

.venv/app.stamp: .venv/venv.stamp .ci/requirements.lock
	@echo "Installing what the app needs (a minute or two, once)"
	@$(INSTALL) -r .ci/requirements.lock
	@touch $@

.venv/test.stamp: .venv/venv.stamp .ci/requirements-dev.lock
	@echo "Installing what the app and its tests need (a minute or two, once)"
	@$(INSTALL) -r .ci/requirements-dev.lock
	@touch $@
