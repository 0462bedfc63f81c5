# The same verbs for people and for CI. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=

release := .build/release
programs := corehost corehost-supervisor corehost-component
# The programs carry the Swift runtime along: they run where no toolchain is. Exclusive access is checked at run time in
# the tests' debug build alone: the checks were some 1.5 % of the core thread's samples in a stream of messages.
release_flags := -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked
swift_sources := Sources Tests $(wildcard Benchmarks) Package.swift
c_sources = $(shell find Sources Tests/Fixtures $(wildcard Benchmarks) -name .build -prune -o -name '*.[ch]' -print)
proofs = $(filter-out %/lib.sh,$(wildcard scripts/proof/*))
shell_scripts = $(shell grep -rlE '^\#!/bin/(ba)?sh' scripts .ci) scripts/lib.sh scripts/proof/lib.sh

.PHONY: help
help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: bootstrap
bootstrap:
	@scripts/bootstrap

.PHONY: run
run: build ## build, then run the supervisor with the bundled apps in the foreground; Ctrl-C ends it
	$(release)/corehost run --local --resources Resources

.PHONY: demo
demo: build ## build, then show a component dying and coming back; ends by itself
	scripts/demo

.PHONY: demo-chaos
demo-chaos: build ## build, then kill the bundled apps for a minute while they work; no acknowledged write may be lost
	scripts/demo-chaos

.PHONY: proof
proof: build ## what the platform promises, tried at length: some hours
	@short=; for proof in $(proofs); do $$proof || short+=" $${proof##*/}"; done; \
	    [[ -z $$short ]] || { echo "fell short:$$short" >&2; exit 1; }

.PHONY: fuzz
fuzz: bootstrap ## what comes from components and from clients, with sanitizers: ten minutes each
	scripts/fuzz-wire 600
	scripts/fuzz-control 600

.PHONY: simulate
simulate: build ## the supervisor's rules in a simulated world: ten thousand seeds of a day each
	scripts/simulate-nightly

.PHONY: mutation-check
mutation-check: ## whether the simulation finds the bugs of Tests/Mutations; builds no program
	scripts/mutation-check

.PHONY: test
test: bootstrap ## the whole test suite
	swift test --disable-xctest

.PHONY: bench
bench: build ## figures beside C references, in the same run
	scripts/bench

.PHONY: build
build: bootstrap ## release programs in .build/release
	$(foreach program,$(programs),swift build $(release_flags) --product $(program) &&) true

.PHONY: docs
docs: bootstrap ## docs/ports.md from the ports' declarations
	swift run port-table >.build/ports.md
	mv .build/ports.md docs/ports.md

.PHONY: fmt
fmt: ## lay out all sources
	scripts/bootstrap --lint
	swift format --in-place --recursive $(swift_sources)
	clang-format -i $(c_sources)

.PHONY: lint
lint: ## layout and style of all sources and scripts
	scripts/bootstrap --lint
	swift format lint --strict --recursive $(swift_sources)
	clang-format --dry-run -Werror $(c_sources)
	$(foreach script,$(shell_scripts),bash -n $(script) &&) true
	shellcheck --external-sources $(shell_scripts)
	scripts/lint-text
	scripts/lint-eager

.PHONY: install
install: ## copy what `make build` made to $(DESTDIR)$(PREFIX)
	@for program in $(programs); do test -x "$(release)/$$program" \
	    || { echo "no $(release)/$$program; run make build first" >&2; exit 1; }; done
	install -D -m 755 $(release)/corehost "$(DESTDIR)$(PREFIX)/bin/corehost"
	install -D -m 755 -t "$(DESTDIR)$(PREFIX)/libexec/corehost" $(addprefix $(release)/,$(filter corehost-%,$(programs)))
	rm -rf "$(DESTDIR)$(PREFIX)/share/corehost"
	find Resources -type f -printf '%P\0' | xargs -0 -I '{}' \
	    install -D -m 644 'Resources/{}' "$(DESTDIR)$(PREFIX)/share/corehost/{}"
	for unit in user/corehost.service system/corehost@.service; do \
	    sed 's|=/usr/local/bin/|=$(PREFIX)/bin/|' "deploy/$${unit#*/}" \
	        | install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/lib/systemd/$$unit"; done
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/doc/corehost" LICENSE $(wildcard *.md docs/*.md)

.PHONY: clean
clean: ## remove everything built
	rm -rf .build Benchmarks/.build
