# The commands of every day; CMakePresets.json has the rest (debug, asan, tsan, clang).
# On a system other than Debian 12, install what is needed yourself and say BOOTSTRAP=true.
BOOTSTRAP ?= tools/bootstrap
MAKEFLAGS += --no-print-directory

.PHONY: build service test demo cluster bench bench-cluster bench-build soak fuzz docs checked format lint clean help
.DEFAULT_GOAL := build
.NOTPARALLEL:

## build    the binary, build/release/baton
build: python
	@tools/build baton

## service  the lock tool alone, build/release/baton-service: without the laboratory, in less time
service: python
	@tools/build baton-service

## test     everything that a change must pass
test: python
	@tools/build --tests all

## demo     the main job at work: the lock tool as soon as it is compiled, then the laboratory
demo: python
	@tools/demo

## cluster  three etcd and three servers on this machine, and a lock that survives kills
cluster: build
	@tools/cluster

## bench    every figure of the README and of docs/figures.md, side by side with the peers
bench: build/release/build.ninja bootstrap-bench
	@$(call quietly,cmake --preset bench)
	@cmake --build --preset bench
	@tools/bench

## bench-cluster  locks on three etcd beside etcd's and ZooKeeper's own, and how long takeovers take
bench-cluster: build/release/build.ninja bootstrap-bench
	@$(call quietly,cmake --preset bench)
	@cmake --build --preset bench
	@mkdir -p build/bench
	@bench/peers/run_cluster --baton build/release/baton --rounds 3 --json build/bench/cluster.json

## bench-build  what it costs to compile Baton, in CPU seconds; takes as long as compiling all of it
bench-build: bootstrap
	@bench/build

## soak     random worlds for every algorithm until a promise breaks or SOAK_ROUNDS are over
SOAK_ROUNDS ?= 1000
soak: build/release/build.ninja
	@cmake --build --preset release --target lab_sim_test algorithms_layer_test service_state_test \
	  service_cluster_sim_test service_failover_test peers_member_test
	@tools/soak $(SOAK_ROUNDS)

## fuzz     each decoder with inputs that libFuzzer finds, for FUZZ_SECONDS, or FUZZ_TARGETS alone
FUZZ_SECONDS ?= 60
fuzz: build/fuzz/build.ninja
	@cmake --build --preset fuzz
	@tools/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

## docs     the pages about the algorithms and the pictures of the README, drawn anew
docs: build
	@tools/docs

## checked  docs/checked.md and docs/traps.md, found anew by the model checker; takes minutes
checked: build
	@tools/checked build/release/baton docs

## format   the C++ files as .clang-format wants them
format: bootstrap
	@tools/check-format --fix

## lint     clang-tidy over src/ and tests/, and the direction of includes
# A build folder of its own: clang-tidy cannot read the headers that gcc precompiled.
# Each file is read by itself, which also shows includes that are missing.
lint: bootstrap-lint
	@tools/check-layers
	@$(call quietly,cmake --preset clang -B build/lint -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	  -D BATON_UNITY=OFF)
	@run-clang-tidy -quiet -p build/lint '^$(CURDIR)/(src|tests)/'

## clean    removes what was built, but not an unpacked Boost
clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name boost -exec rm -rf {} +; fi

## help     this list
help:
	@sed -n 's/^## /  make /p' $(firstword $(MAKEFILE_LIST))

# What is missing on this machine, for everything or for one command.
.PHONY: bootstrap bootstrap-bench bootstrap-fuzz bootstrap-lint
bootstrap bootstrap-bench bootstrap-fuzz bootstrap-lint:
	@$(BOOTSTRAP) $(patsubst bootstrap-%,%,$(filter-out bootstrap,$@))

# The tools that say how long it takes are written in Python; they install the rest.
.PHONY: python
python:
	@command -v python3 >/dev/null || $(BOOTSTRAP)

# CMake configures once; from then on ninja notices what asks for it again.
build/fuzz/build.ninja: | bootstrap-fuzz
build/%/build.ninja: CMakePresets.json | bootstrap
	@$(call quietly,cmake --preset $*)

# What a command has to say is of interest only if it fails.
quietly = output=$$($(1) 2>&1) || { echo "$$output"; exit 1; }
