# The entry points for people; the build itself is CMake's. `make help` lists them.

BUILD ?= build
BUILD_TYPE ?= Release
PYTHON ?= python3
CLANG_FORMAT ?= clang-format
TARGET ?= auto
FUZZ_SECONDS ?= 600
BENCH ?=
BUNDLE ?=

VENV_PYTHON := .venv/bin/python
# The Python package finds this build's tools and runtime through these.
RUN := WNA16_BIN="$(abspath $(BUILD))/bin" $(VENV_PYTHON)

.PHONY: help build demo test test-gpu gpu-bundle bench fuzz format docs clean setup

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

setup: ## install what is missing: Debian packages, a virtual environment in .venv
	@PYTHON="$(PYTHON)" tools/dev/setup.sh

build: setup ## build tools (build/bin) and libraries (build/lib)
	@mkdir -p "$(BUILD)"
	@cmake -G Ninja -S . -B "$(BUILD)" -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) >"$(BUILD)/configure.log" 2>&1 \
	  || { cat "$(BUILD)/configure.log"; echo "build: error: CMake could not configure; the lines above say why" >&2; exit 1; }
	@ninja -C "$(BUILD)" \
	  || { echo "build: error: the build stopped; the first error above says where" >&2; exit 1; }

demo: build ## take one quantized layer from checkpoint to numbers
	@$(RUN) -m wna16 demo --target $(TARGET)

test: build ## run every test; the last line is "N passed, N failed"
	@$(RUN) tools/dev/run_tests.py --build "$(BUILD)"

test-gpu: build ## run the tests that need a CUDA GPU
	@$(RUN) tools/dev/run_tests.py --build "$(BUILD)" --suite gpu

gpu-bundle: build ## pack kernels, runtime and tests to run on a GPU machine without MLIR
	@$(RUN) tools/dev/gpu_bundle.py --build "$(BUILD)" $(BUNDLE)

bench: build ## measure kernels and peers on this machine's GPU; BENCH="--m 1,8" restricts it
	@$(RUN) tools/bench/bench.py --out "$(BUILD)/bench" $(BENCH)

fuzz: ## look for PTX text that crashes the emulator; needs clang
	@tools/dev/fuzz.sh "$(BUILD)/fuzz" $(FUZZ_SECONDS)

format: ## format C++ with clang-format
	@command -v $(CLANG_FORMAT) >/dev/null || { echo "format: error: no $(CLANG_FORMAT); install it: apt-get install clang-format" >&2; exit 1; }
	@find dialect lib tools test -name '*.h' -o -name '*.cpp' | xargs $(CLANG_FORMAT) -i

docs: build ## write the generated parts of docs: reference, tour, layout pictures, support table
	@$(RUN) tools/dev/generate_reference.py --bin "$(abspath $(BUILD))/bin" --tblgen /usr/lib/llvm-22/bin/mlir-tblgen
	@$(RUN) tools/dev/fill_tour.py --bin "$(abspath $(BUILD))/bin" docs/tour.md
	@$(RUN) tools/dev/layout_pictures.py --tool "$(abspath $(BUILD))/bin/wna16-layout" docs/layouts.md
	@$(RUN) tools/dev/support_table.py

clean: ## remove the build folder and the virtual environment
	rm -rf "$(BUILD)" .venv
