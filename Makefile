# Everything that a person or a machine does here, in two commands: `make site`, `make test`.
# Set-up happens once, in .venv; the stamp in it says that it is complete.

PYTHON ?= python3
PORT ?= 8000
# Where torch's CPU build comes from. PyPI's build for Linux brings gigabytes of CUDA;
# PyTorch's install selector names the address to put here.
TORCH_INDEX ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export NO_MKDOCS_2_WARNING := 1

.PHONY: site offline serve build test check proofs clean

site: build ## Set up, build the site, and serve it until you press Ctrl+C
	@echo "The site is served at http://127.0.0.1:$(PORT)/ until you press Ctrl+C."
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory site

build: $(READY) ## Build the site into site/
	$(BIN)/mkdocs build

offline: $(READY) ## Build the copy for download, which works from the file system
	$(BIN)/mkdocs build --config-file mkdocs-offline.yml

serve: $(READY) ## Write pages: rebuild at every change and show problems in place
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

test: $(READY) ## Set up and run every test: package, engine, pages, site
	$(BIN)/pytest --numprocesses auto --dist loadgroup

check: $(READY) ## Look at the code without running it: style, format, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

proofs: $(READY) ## The heavy proofs of which `make test` runs a sample
	PROOFS=1 $(BIN)/pytest --numprocesses auto --dist loadgroup

clean: ## Remove what the build and the tests left, and the set-up
	rm -rf site offline build dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis $(VENV)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, got " + sys.version.split()[0] + ". Try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) \
		--constraint constraints.txt --editable '.[dev]'
	touch $@
