# Entry points for people and for continuous integration; CMake does the work.
# `make help` lists them.

BUILD  ?= build
PYTHON ?= /usr/bin/python3
JOBS   ?= $(shell nproc)
# Options and tests for lit: make check LIT="-v test/Dialect"
LIT    ?=

PACKAGES := g++ cmake ninja-build ccache clang-22 lld-22 llvm-22-dev libmlir-22-dev \
  mlir-22-tools llvm-22-tools libzstd-dev zlib1g-dev libgtest-dev python3-numpy \
  python3-psutil clang-format-22 xz-utils pkg-config

# One cache serves every checkout, and precompiled headers do not spoil it.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime

SOURCES = git ls-files '*.cpp' '*.h'

.PHONY: help deps build check demo docs format format-check gpu-bundle clean
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16

deps: ## installs the Debian packages that are missing
	@missing=; \
	for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	if [ -n "$$missing" ]; then \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  echo "installing$$missing"; \
	  $$sudo apt-get update -q && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing; \
	fi

$(BUILD)/build.ninja: | deps
	cmake --preset release -B $(BUILD)

build: deps $(BUILD)/build.ninja ## compiles everything into build/bin
	@cmake --build $(BUILD) -j $(JOBS) --target all tilec-test-depends

check: build ## builds and runs every test; ends with `N passed, N failed`
	@$(PYTHON) test/check.py $(BUILD) $(LIT)

demo: build ## a matmul: to PTX, on the interpreter, against NumPy, with its traffic
	@$(PYTHON) examples/demo.py $(BUILD)/bin

gpu-bundle: build ## packs tools and examples for a GPU machine: dist/tilec-gpu-bundle.tar.xz
	@test/bundle/pack.sh $(BUILD) dist/tilec-gpu-bundle.tar.xz

docs: deps ## regenerates docs/generated from the .td files
	@bash docs/generate.sh docs/generated

format: ## formats the C++ sources
	@$(SOURCES) | xargs clang-format-22 -i

format-check: ## fails if formatting would change a source
	@$(SOURCES) | xargs clang-format-22 --dry-run -Werror

clean: ## removes what was built
	rm -rf $(BUILD) dist
