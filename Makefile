# SPDX-License-Identifier: Apache-2.0
# make run        builds the command and sums the shipped water box
# make test       builds and runs the tests
# make test-all   runs all combinations of the tolerance sweeps too
# make quick      runs a one-minute selection of the tests
# make wheel      builds the Python package's wheel in dist/
# All install missing Debian packages if they have the rights.
BUILD ?= build
JOBS ?= $(shell nproc)
PYTHON ?= python3
CMAKE_ARGS ?=
CTEST = OMP_WAIT_POLICY=passive ctest --test-dir $(BUILD) --output-on-failure
.PHONY: run test test-all quick command all packages wheel
run: command
	$(BUILD)/tools/farsum/farsum run data/water_spce.xyz --units real \
	  --tolerance 1e-5 --check -o $(BUILD)/water_out.xyz \
	  --report $(BUILD)/water.json
test: all
	$(CTEST) -j $(JOBS) -LE full
quick: all
	$(CTEST) -j $(JOBS) -L quick
test-all: all
	$(CTEST) -j $(JOBS)
# needs pip; it fetches scikit-build-core, and auditwheel names the oldest glibc
wheel:
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PYTHON) -m pip wheel . --no-deps -w dist
	-$(PYTHON) -m auditwheel show dist/farsum-*.whl
command: configure
	cmake --build $(BUILD) -j $(JOBS) --target farsum_command
all: configure
	cmake --build $(BUILD) -j $(JOBS)
.PHONY: configure
configure: packages
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_ARGS)
packages:
	@sh scripts/install_deps.sh
