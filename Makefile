# Front door. Every target works on a fresh clone: what is missing is installed by ./setup.
#
#   make build       the release program, build/release/awf
#   make package     the release as .deb and .tar.gz, with checksums, in build/release/packages
#   make demo        build, then watch an agent work through the proxy (no key, no network)
#   make test        build with AddressSanitizer and UBSan, run all tests
#   make test-kill   kill -9 of every process of a run at AWF_KILL_ROUNDS (default 20) random moments; the release program
#   make test-race   the concurrency tests under ThreadSanitizer
#   make interop     the real agent CLIs and SDKs (needs Node.js; installs them from their packages)
#   make provider-matrix  their part that is about agent CLIs; writes what it finds into docs/providers.md
#   make e2e-live PROVIDER=claude  a review by an agent with your own login and a real model; costs what the model costs
#   make package-test  installs the packages in a clean Debian 12 and runs them there (that part needs root)
#   make bench       speed and memory, as ratios to peers measured in the same run (needs Node.js)
#   make fuzz        every fuzz target for FUZZ_SECONDS (default 10)
#   make lint        clang-tidy, clang-format (check only), shellcheck
#   make format      clang-format, in place
#   make coverage    line coverage of mcp/ and src/, fails below 85 %
#   make clean       remove build/
SHELL := /bin/bash
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)
# Most tests wait for processes most of the time.
TEST_JOBS ?= $(shell expr 3 \* $$(nproc))
FUZZ_SECONDS ?= 10
# For the first configuration of its build.
FUZZ_CONFIGURE ?=
SETUP_FLAGS ?= --yes

.PHONY: help setup setup-dev setup-interop setup-package build package package-test demo test test-kill test-race interop provider-matrix e2e-live bench fuzz lint format coverage clean

help:
	@sed -n '3,19s/^# *//p' Makefile

setup:
	@./setup --check 2>/dev/null || ./setup $(SETUP_FLAGS)
setup-dev:
	@./setup --dev --check 2>/dev/null || ./setup --dev $(SETUP_FLAGS)
setup-interop:
	@./setup --interop --check 2>/dev/null || ./setup --interop $(SETUP_FLAGS)

setup-package:
# Who may install nothing tests with what there is: the rest is skipped, with the reason.
	@./setup --package --check 2>/dev/null || if [ "$$(id -u)" = 0 ] || command -v sudo >/dev/null; then ./setup --package $(SETUP_FLAGS); fi

# Only prints when something goes wrong or has to be configured.
configure = test -f build/$(1)/build.ninja || cmake --preset $(1) $(2) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }

build: setup
	@mkdir -p build && $(call configure,release)
	@cmake --build build/release --target awf -j $(JOBS)

package: build
	@packaging/build

package-test: setup-package package
	@tests/package/run

demo: build
	@build/release/awf demo

test: setup
	@mkdir -p build && $(call configure,asan)
	@cmake --build build/asan -j $(JOBS)
	@tests/run_ctest build/asan $(TEST_JOBS) -LE interop

# A start of the release program takes a hundredth of the time that one with AddressSanitizer takes.
test-kill: setup
	@mkdir -p build && $(call configure,release)
	@cmake --build build/release -j $(JOBS) --target awf kill_matrix_test resume_test
	@tests/run_ctest build/release $(TEST_JOBS) -R '^Sigkill/'

test-race: setup
	@mkdir -p build && $(call configure,tsan)
	@cmake --build build/tsan -j $(JOBS) --target race_tests
	@tests/run_ctest build/tsan $(TEST_JOBS) -L race

# AWF_KILL_ROUNDS (default 20): random moments at which each process of a run is killed.
interop: export AWF_KILL_ROUNDS ?= 20
interop: setup-interop build
	@tests/interop/run

provider-matrix: setup-interop build
	@AWF_INTEROP_WRITE=1 AWF_INTEROP_LONG=1 tests/interop/run providers

# The agent is the one on the PATH.
e2e-live: build
	@tests/interop/live "$(PROVIDER)"

bench: setup-interop
	@mkdir -p build && $(call configure,release)
	@cmake --build build/release -j $(JOBS) --target awf bench_all
	@bench/run

fuzz: setup-dev
	@mkdir -p build && $(call configure,fuzz,$(FUZZ_CONFIGURE))
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_all
	@fuzz/run $(FUZZ_SECONDS)

lint: setup-dev
	@tests/lint

format: setup-dev
	@git ls-files '*.h' '*.cc' | xargs clang-format-19 -i

coverage: setup-dev
	@tests/coverage

clean:
	rm -rf build
