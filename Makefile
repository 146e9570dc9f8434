# sat - summed-area tables.  `make help` lists the targets.

VERSION := $(shell sed -n 's/^\#define SAT_VERSION_[A-Z]* \([0-9]*\)$$/\1/p' src/lib/sat.h | paste -sd.)
SOMAJOR := $(firstword $(subst ., ,$(VERSION)))

CC       ?= gcc
PREFIX   ?= /usr/local
CUDA     ?= auto# auto, 0 or 1 (1: no nvcc is an error)
JPEG     ?= auto# libturbojpeg: auto, 0 (stb_image reads and writes JPEG) or 1
CFLAGS   ?= -O3 -g
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)

# ---- what this machine has -----------------------------------------------------------------------------

NVCC ?= $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
KERNELS := $(sort $(wildcard kernels/*.cu))
ifeq ($(CUDA),1)
  ifeq ($(NVCC),)
    $(error CUDA=1, but no nvcc on PATH or in /usr/local/cuda/bin)
  endif
endif
WITH_CUDA := $(if $(filter 0,$(CUDA)),0,$(if $(and $(NVCC),$(KERNELS)),1,0))

PKG_CONFIG ?= pkg-config
HAVE_TURBOJPEG := $(shell $(PKG_CONFIG) --exists libturbojpeg 2>/dev/null && echo 1 || echo 0)
ifeq ($(JPEG)$(HAVE_TURBOJPEG),10)
  $(error JPEG=1, but pkg-config does not find libturbojpeg (Debian: libturbojpeg0-dev))
endif
WITH_TURBOJPEG := $(if $(filter 0,$(JPEG)),0,$(HAVE_TURBOJPEG))

# ---- flags ---------------------------------------------------------------------------------------------

STD      := -std=c11 -D_GNU_SOURCE
DEFS     := -DSAT_WITH_CUDA=$(WITH_CUDA) -DSAT_WITH_TURBOJPEG=$(WITH_TURBOJPEG)
BASE     := $(STD) $(CFLAGS) $(WARN) $(DEFS) -fopenmp -fvisibility=hidden -fPIC -MMD -MP $(EXTRA_CFLAGS)
LIB_INC  := -Isrc/lib
IO_INC   := -Isrc/lib -Isrc/io
CLI_INC  := -Isrc/lib -Isrc/io -Isrc/cli
LDFLAGS  += -fopenmp $(EXTRA_LDFLAGS)
LIB_LIBS := -lm
IO_LIBS  := -ldeflate -lz -lxxhash $(if $(filter 1,$(WITH_TURBOJPEG)),-lturbojpeg)

# A change of compiler or flags never mixes objects: they live in a folder named after their hash.
HASH := $(shell echo '$(CC) $(BASE) $(LDFLAGS)' | cksum | cut -d' ' -f1)
OBJ  := build/obj/$(HASH)

LIB_SRC := $(sort $(wildcard src/lib/*.c src/cpu/*.c))
IO_SRC  := $(sort $(wildcard src/io/*.c))
CLI_SRC := $(sort $(wildcard src/cli/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o)
IO_OBJ  := $(IO_SRC:%.c=$(OBJ)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(OBJ)/%.o)

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT     := $(UNIT_SRC:tests/unit/%.c=build/tests/%)

.DEFAULT_GOAL := all
.PHONY: all lib demo check lint install uninstall deps deps-test help clean bench peers config

## all: build/sat, build/libsat.a and build/libsat.so
all: config lib build/sat

## lib: the library alone
lib: build/libsat.a build/libsat.so

config:
	@echo "CUDA: $(if $(filter 1,$(WITH_CUDA)),$(NVCC),off ($(if $(filter 0,$(CUDA)),CUDA=0,$(if $(NVCC),no kernels in this version,no nvcc found)); CPU backends only))"
	@echo "JPEG: $(if $(filter 1,$(WITH_TURBOJPEG)),libturbojpeg,stb_image ($(if $(filter 0,$(JPEG)),JPEG=0,libturbojpeg not found)))"

$(OBJ)/src/lib/%.o: INC := $(LIB_INC)
$(OBJ)/src/cpu/%.o: INC := $(LIB_INC)
$(OBJ)/src/io/%.o: INC := $(IO_INC)
$(OBJ)/src/cli/%.o: INC := $(CLI_INC)
$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(INC) -c $< -o $@

build/libsat.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(LIB_OBJ)

build/libsat.so.$(VERSION): $(LIB_OBJ)
	$(Q)$(CC) -shared -Wl,-soname,libsat.so.$(SOMAJOR) -Wl,--no-undefined $(LIB_OBJ) $(LDFLAGS) $(LIB_LIBS) -o $@

build/libsat.so: build/libsat.so.$(VERSION)
	$(Q)ln -sf $(<F) build/libsat.so.$(SOMAJOR) && ln -sf libsat.so.$(SOMAJOR) $@

build/sat: $(CLI_OBJ) $(IO_OBJ) build/libsat.a
	$(Q)$(CC) $(CLI_OBJ) $(IO_OBJ) build/libsat.a $(LDFLAGS) $(IO_LIBS) $(LIB_LIBS) -o $@

build/tests/%: tests/unit/%.c build/libsat.a $(IO_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -Wmissing-prototypes,$(BASE)) $(CLI_INC) -Itests/unit $< $(IO_OBJ) build/libsat.a $(LDFLAGS) -lcmocka $(IO_LIBS) $(LIB_LIBS) -o $@

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | awk -F': ' '{printf "  make %-10s %s\n", $$1, $$2}'

## clean: remove everything that was built
clean:
	$(Q)rm -rf build

-include $(LIB_OBJ:.o=.d) $(IO_OBJ:.o=.d) $(CLI_OBJ:.o=.d)
