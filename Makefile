# What a newcomer types; each target sets everything up itself.
#
#   make demo      firn's main job on a table that it makes itself
#   make test      every test
#   make build     build/release/firn
#   make soak      simulated, racing and killed writers, for long
#   make interop   comparison with live Spark, PyIceberg and others
#   make bench     micro-benchmarks
#   make package   dist/firn-<version>-linux-x86_64.tar.gz
#   make format    clang-format on all sources

SHELL := /bin/bash
export PATH := $(CURDIR)/.deps/cmake/bin:$(PATH)

.PHONY: demo test build soak interop bench package format configure

demo: build
	scripts/demo build/release/firn

test: configure
	cmake --build --preset release
	ctest --preset release -j "$$(nproc)"

build: configure
	cmake --build --preset release --target firn

soak: build
	cmake --build --preset release --target firn_simulation firn_round_trip firn_preview
	build/release/tests/firn_simulation --seeds=10000
	build/release/tests/firn_round_trip --seeds=10000
	build/release/tests/firn_preview --seeds=1000
	python3 -B tests/trust/commits_test.py build/release/firn 16 50 200 200
	python3 -B tests/trust/compaction_test.py build/release/firn 200

interop: build
	scripts/interop build/release/firn

bench: configure
	cmake --build --preset release --target benchmarks
	for bench in build/release/bench/*_bench; do "$$bench" || exit; done

package: build
	scripts/package build/release dist

format:
	scripts/bootstrap --format
	scripts/format

configure:
	scripts/bootstrap
	cmake --preset release $(if $(FIRN_WERROR),-DFIRN_WERROR=$(FIRN_WERROR))
