# Every target does its own set-up: `make test` and `make demo` work in a fresh clone.
.PHONY: all setup libraries build program package package-check release install test test-long test-tsan soak soak-serve soak-sends soak-sqlite autobahn cache-tests fuzz lint bench fidelity examples docs demo demo-redis demo-live demo-screen demo-send clean

all: build

# What tests need besides.
setup:
	@scripts/setup

libraries:
	@scripts/setup --libraries

build: libraries
	swift build

# What the demos run, and nothing else.
program: libraries
	@scripts/timed build swift build --product pipe-run

release: libraries
	scripts/release

# The files of a release, in .build/package.
package: release
	scripts/package

# Whether they are the same twice, install, run and go again; PIPE_RUN names a program that is built already.
package-check: program
	@scripts/package-check

# The program, its manual page and the completions of the shells, below PREFIX; DESTDIR for those who make packages.
PREFIX ?= /usr/local
install: release
	scripts/install "$(DESTDIR)$(PREFIX)"

test: setup
	scripts/test

# The tests that compute for long.
test-long: setup
	scripts/test --long

test-tsan: setup
	scripts/test-tsan

soak: setup
	MODEL_MINUTES=10 swift test --filter ModelTests

# SOAK_SECONDS=60 for a short one.
soak-serve: build
	scripts/soak-serve

soak-sends: build
	scripts/soak-sends "$(or $(SENDS_SOAK_COUNT),1000)" "$(or $(SENDS_SOAK_SEED),1)"

soak-sqlite: setup
	SQLITE_SOAK_SECONDS=60 swift test --filter SQLiteKillTests

# The Autobahn test suite against our WebSocket client; needs Python 2.7.
autobahn: setup
	scripts/autobahn

# The suite http-tests/cache-tests against `caching: headers`; needs node, and CACHE_TESTS for a copy of its repository.
cache-tests: setup
	scripts/cache-tests

fuzz: libraries
	@scripts/fuzz

lint: libraries
	scripts/lint

# ROWS=memory,file measures a part.
bench: release
	scripts/bench

# Holds `simulate` to `serve`: three minutes on an idle machine. FIDELITY_SECONDS=20 for a short one.
fidelity: release
	scripts/fidelity

examples: libraries
	scripts/build-examples

docs: libraries
	scripts/build-docs

demo: program
	@scripts/timed demo scripts/demo

demo-redis: program
	@scripts/setup --redis
	@scripts/timed demo scripts/demo-redis

demo-live: program
	@scripts/timed demo scripts/demo-live

demo-screen: program
	@scripts/timed demo scripts/demo-screen

demo-send: program
	@scripts/timed demo scripts/demo-send

clean:
	swift package clean
