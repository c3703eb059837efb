# Every target does its own set-up: `make test` and `make demo` work in a fresh clone.
.PHONY: all setup build release install test test-tsan soak soak-serve soak-sqlite autobahn cache-tests fuzz lint bench fidelity examples docs demo demo-redis demo-live demo-screen clean

all: build

setup:
	@scripts/setup

build: setup
	swift build

release: setup
	scripts/release

# The program, its manual page and the completions of the shells, below PREFIX; DESTDIR for those who make packages.
PREFIX ?= /usr/local
install: release
	scripts/install "$(DESTDIR)$(PREFIX)"

test: setup
	scripts/test

test-tsan: setup
	scripts/test-tsan

soak: setup
	MODEL_MINUTES=10 swift test --filter ModelTests

# SOAK_SECONDS=60 for a short one.
soak-serve: build
	scripts/soak-serve

soak-sqlite: setup
	SQLITE_SOAK_SECONDS=60 swift test --filter SQLiteKillTests

# The Autobahn test suite against our WebSocket client; needs Python 2.7.
autobahn: setup
	scripts/autobahn

# The suite http-tests/cache-tests against `caching: headers`; needs node, and CACHE_TESTS for a copy of its repository.
cache-tests: setup
	scripts/cache-tests

fuzz: setup
	@scripts/fuzz

lint: setup
	scripts/lint

# ROWS=memory,file measures a part.
bench: release
	scripts/bench

# Holds `simulate` to `serve`: three minutes on an idle machine. FIDELITY_SECONDS=20 for a short one.
fidelity: release
	scripts/fidelity

examples: setup
	scripts/build-examples

docs:
	scripts/build-docs

demo: build
	@scripts/demo

demo-redis: build
	@scripts/demo-redis

demo-live: build
	@scripts/demo-live

demo-screen: build
	@scripts/demo-screen

clean:
	swift package clean
