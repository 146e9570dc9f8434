# sat - summed-area tables.  `make help` lists the targets.

VERSION := $(shell sed -n 's/^\#define SAT_VERSION_[A-Z]* \([0-9]*\)$$/\1/p' src/lib/sat.h | paste -sd.)
SOVERSION := $(subst $() ,.,$(wordlist 1,2,$(subst ., ,$(VERSION))))

ifeq ($(origin CC),default)
  CC := gcc
endif
# Where `make install` puts things, under DESTDIR; or GNU's names in lower case (prefix, bindir, libdir ...).
PREFIX     ?= $(or $(prefix),/usr/local)
BINDIR     ?= $(or $(bindir),$(or $(exec_prefix),$(PREFIX))/bin)
LIBDIR     ?= $(or $(libdir),$(or $(exec_prefix),$(PREFIX))/lib)
INCLUDEDIR ?= $(or $(includedir),$(PREFIX)/include)
DATADIR    ?= $(or $(datadir),$(datarootdir),$(PREFIX)/share)
MANDIR     ?= $(or $(mandir),$(DATADIR)/man)
CUDA     ?= auto# auto, 0 or 1 (1: no nvcc is an error)
JPEG     ?= auto# libjpeg: auto, 0 (stb_image reads and writes JPEG) or 1
TIFF     ?= auto# libtiff, 4.5 or newer: auto, 0 (no TIFF) or 1
LAB      ?= 1# 0: the product alone, without the laboratory: scans of arrays, ceilings, peers, `sat bench`; no tests
CFLAGS   ?= -O3 -g
WERROR   ?= 0# 1: a warning is an error, as in continuous integration; newer compilers warn of more
# Unnamed enums hold constants, which go into sums of doubles: clang 19 would warn of each.
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-enum-float-conversion $(if $(filter 1,$(WERROR)),-Werror)
B        ?= build# where everything that is built goes
ifneq ($(words $(B)),1)
  $(error B='$(B)': make takes no name with spaces; use a folder without)
endif
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)
# A line for each file that is compiled or linked; none where the command is shown, or with make -s.
QUIET    := $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS))))
say       = $(if $(filter 1,$(V))$(QUIET),,@printf '  %-4s %s\n' $(1) $(2))

# What the tables of a build with LAB=0 do not name.
LAB_SRC  := src/lab/% kernels/lab/% kernels/peer/%
LEFT_OUT := $(if $(filter 0,$(LAB)),$(LAB_SRC))

# What experiments alone need, in a build with SWEEP=1.
SWEEP     ?= 0
SWEEP_SRC := kernels/lab/lookback_aux_one.cu

# ---- what this machine has -----------------------------------------------------------------------------

NVCC ?= $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
# Those that take longest to compile begin first, so that no core waits for another at the end.
LONGEST := $(addprefix kernels/,window/window_words.cu window/window_bytes.cu box/box_bytes.cu box/box_words.cu box/box_wide.cu box/box_real.cu table/fused_u8.cu table/fused_u16.cu)
KERNELS := $(filter-out $(LEFT_OUT) $(if $(filter 1,$(SWEEP)),,$(SWEEP_SRC)), \
             $(wildcard $(LONGEST)) $(filter-out $(LONGEST),$(sort $(wildcard kernels/*.cu kernels/*/*.cu))))
ifeq ($(CUDA),1)
  ifeq ($(NVCC),)
    $(error CUDA=1, but no nvcc on PATH or in /usr/local/cuda/bin)
  endif
endif
WITH_CUDA := $(if $(filter 0,$(CUDA)),0,$(if $(and $(NVCC),$(KERNELS)),1,0))
NO_CUDA   := $(if $(filter 0,$(CUDA)),CUDA=0,$(if $(NVCC),no kernels in this version,no nvcc found: NVCC=FILE names one))

PKG_CONFIG ?= pkg-config
# pc libs|cflags,LIBRARY,ELSE - what pkg-config says, or ELSE if it does not know the library.
pc = $(or $(shell $(PKG_CONFIG) --$(1) $(2) 2>/dev/null),$(3))
HAVE_LIBJPEG := $(shell $(PKG_CONFIG) --exists libjpeg 2>/dev/null && echo 1 || echo 0)
WITH_LIBJPEG := $(if $(filter 0,$(JPEG)),0,$(if $(filter 1,$(JPEG)),1,$(HAVE_LIBJPEG)))

HAVE_LIBTIFF := $(shell $(PKG_CONFIG) --exists 'libtiff-4 >= 4.5' 2>/dev/null && echo 1 || echo 0)
WITH_LIBTIFF := $(if $(filter 0,$(TIFF)),0,$(if $(filter 1,$(TIFF)),1,$(HAVE_LIBTIFF)))

# ---- flags ---------------------------------------------------------------------------------------------

# No product and sum rounded as one: answers are the same on every machine (rectangle.h).  No errno from sqrt(), so that
# loops with it are vectorised.
STD      := -std=c11 -D_GNU_SOURCE -ffp-contract=off -fno-math-errno
DEFS     := -DSAT_WITH_CUDA=$(WITH_CUDA) -DSAT_WITH_LIBJPEG=$(WITH_LIBJPEG) -DSAT_WITH_LIBTIFF=$(WITH_LIBTIFF) \
            -DSAT_WITH_LAB=$(if $(filter 0,$(LAB)),0,1) \
            $(if $(filter 1,$(SWEEP)),-DSAT_SWEEP=1) $(if $(filter 1,$(PATHS)),-DSAT_PATHS=1)
# Distributions replace CFLAGS, often by -O2, at which gcc 12 vectorises next to nothing. Before CFLAGS, so that -O0
# stays -O0.
option    = $(shell $(CC) -Werror $(1) -fsyntax-only -xc /dev/null 2>/dev/null && echo $(1))
VECTORS  := $(call option,-ftree-vectorize) $(call option,-fvect-cost-model=dynamic)
BASE     := $(STD) $(VECTORS) $(CPPFLAGS) $(CFLAGS) $(WARN) $(DEFS) -pthread -fvisibility=hidden -fPIC -MMD -MP $(EXTRA_CFLAGS)
LIB_INC  := -Isrc/lib
IO_INC   := -Isrc/lib -Isrc/io $(sort $(call pc,cflags,libisal) $(call pc,cflags,libdeflate) $(call pc,cflags,libxxhash) \
              $(if $(filter 1,$(WITH_LIBJPEG)),$(call pc,cflags,libjpeg)) $(if $(filter 1,$(WITH_LIBTIFF)),$(call pc,cflags,libtiff-4)))
CLI_INC  := -Isrc/lib -Isrc/io -Isrc/cli
LAB_INC  := -Isrc/lab/lib
LINK     := $(CFLAGS) -pthread $(LDFLAGS) $(EXTRA_LDFLAGS)
LIB_LIBS := -lm
FILE_LIBS := $(call pc,libs,libxxhash,-lxxhash)
# io_libs JPEG,TIFF - with libjpeg, and with libtiff, if 1.
io_libs   = $(call pc,libs,libisal,-lisal) $(call pc,libs,libdeflate,-ldeflate) $(FILE_LIBS) \
            $(if $(filter 1,$(1)),$(call pc,libs,libjpeg,-ljpeg)) $(if $(filter 1,$(2)),$(call pc,libs,libtiff-4,-ltiff))
IO_LIBS  := $(call io_libs,$(WITH_LIBJPEG),$(WITH_LIBTIFF))

hash = $(shell echo '$(1)' | cksum | cut -d' ' -f1)

# CUDA: nvcc compiles kernels/ to objects that hold no C++ runtime, and $(CC) links them with the static
# CUDA runtime, so that one binary runs with and without a driver.  SM: native, all, or numbers ("90 75");
# without a GPU to ask, code for Hopper.  PTX: whose, from which all others compile their own; by default that of the oldest
# and the newest, and of Turing beside Hopper.
# -O1 is the host's code: that of devices is optimised as far as nvcc does, at any.
# FAST=1: kernels are compiled in two thirds of the time, and run slower (nvcc 12.8 or newer).  The default of tests where
# there is no GPU, unless kernels are built already.
# SWEEP=1: every block size and number of elements for each thread, for `sat bench tune`.
SM_ALL := 75 80 86 89 90 100 120
ifeq ($(WITH_CUDA),1)
  CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
  HAVE_GPU := $(if $(shell nvidia-smi -L 2>/dev/null),1,0)
  SM     ?= $(if $(filter 1,$(HAVE_GPU)),native,90)
  SMS    := $(if $(filter all,$(SM)),$(SM_ALL),$(SM))
  ORDER  := $(shell printf '%s\n' $(SMS) | sort -n)
  PTX    ?= $(sort $(if $(filter 90,$(SM)),75) $(firstword $(ORDER)) $(lastword $(ORDER)))
  ARCH   := $(if $(filter native,$(SMS)),-arch=native,$(foreach s,$(ORDER),-gencode arch=compute_$s,code=sm_$s) \
              $(foreach s,$(PTX),-gencode arch=compute_$s,code=compute_$s))
  HOST_FLAGS := -fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-fno-gnu-unique
  NVCCFLAGS  := -std=c++20 -O1 -cudart static -Xfatbin -compress-all $(ARCH) $(filter -DSAT_WITH_CUDA% -DSAT_WITH_LAB%,$(DEFS)) $(if $(filter 1,$(SWEEP)),-DSAT_SWEEP=1) \
                -Ikernels $(LIB_INC) $(LAB_INC) -Xcompiler $(HOST_FLAGS) $(EXTRA_NVCCFLAGS)
  ifndef FAST
    FAST := $(if $(and $(filter check check-run check-build quick quick-run,$(MAKECMDGOALS)),$(filter 0,$(HAVE_GPU))),$\
              $(if $(wildcard $(B)/obj/cuda-$(call hash,$(NVCC) $(NVCCFLAGS))),0,1),0)
  endif
  ifeq ($(FAST),1)
    NVCCFLAGS += $(shell $(NVCC) --help | grep -q -e --Ofast-compile && echo -Ofc=max)
  endif
  export FAST # suites that call make take the same kernels
  LIB_LIBS   += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lpthread
endif
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)

# A change of compiler or flags never mixes objects: they live in a folder named after their hash (kernels, which take
# long, in one of their own), and $(B)/flags, which what is linked depends on, changes with it.
CU_HASH := $(call hash,$(NVCC) $(NVCCFLAGS))
HASH    := $(call hash,$(CC) $(BASE) $(IO_INC) $(LINK) $(IO_LIBS) $(LIB_LIBS) $(CU_HASH))
OBJ     := $(B)/obj/$(HASH)
CU_DIR  := $(B)/obj/cuda-$(CU_HASH)

LIB_SRC := $(filter-out $(LEFT_OUT),$(sort $(wildcard src/lib/*.c src/cpu/*.c src/lab/lib/*.c)))
LIB_SRC := $(filter src/cpu/isa_%,$(LIB_SRC)) $(filter-out src/cpu/isa_%,$(LIB_SRC)) # which take longest to compile
IO_SRC  := $(sort $(wildcard src/io/*.c))
FILE_SRC := $(patsubst %,src/io/%.c,open_table table_reader table_writer table_trailer table_samples npy_header source byte_reader sink temp_file \
             file_rights memory error mapped printable)
CLI_SRC := $(filter-out $(LEFT_OUT),$(sort $(wildcard src/cli/*.c src/lab/*.c)))
CU_OBJ  := $(if $(filter 1,$(WITH_CUDA)),$(KERNELS:kernels/%.cu=$(CU_DIR)/%.o))
LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o) $(if $(CU_OBJ),$(OBJ)/kernels.o)
IO_OBJ  := $(IO_SRC:%.c=$(OBJ)/%.o)
FILE_OBJ := $(FILE_SRC:%.c=$(OBJ)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(OBJ)/%.o)

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT     := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

.DEFAULT_GOAL := all
.PHONY: all lib kernels sweep check-gpu verified config compiler demo demo-run deps deps-test deps-python deps-machines deps-compilers deps-judges deps-lint check check-cost check-build check-run \
        wheel check-python check-peers bare machines compilers mutants judges surroundings quick quick-run unit lint lint-run install uninstall bench reproduce paths peers asan tsan valgrind help clean FORCE

# How kernels are checked: in the simulator, and on a GPU; fuzz targets; corpora.
SIMT_CPU := $(filter $(OBJ)/src/cpu/%,$(LIB_OBJ))
-include tests/simt/simt.mk tests/gpu/gpu.mk
-include tests/fuzz/fuzz.mk tests/corpora/corpora.mk

# Unit tests of what the library does with a device, which the simulator is too.
SIMT_UNIT := $(patsubst %,$(B)/simt/unit_%,allocator device scan query query_statistics)
$(B)/simt/unit_%.o: tests/unit/test_%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(SIMT_CC) $(SIMT_CFLAGS) -Itests/unit -c $< -o $@
$(SIMT_UNIT): %: %.o $(filter-out $(SIMT_OBJ)/gpu/%,$(SIMT_CHECK_OBJ))
	$(Q)$(SIMT_CXX) $^ -pthread -lm -lcmocka -o $@

## all: the command and both libraries, libsat and libsat_file, static and shared
all: config lib $(B)/sat

## lib: the libraries alone
lib: $(B)/libsat.a $(B)/libsat.so $(B)/libsat_file.a $(B)/libsat_file.so

config:
	@echo "CUDA: $(if $(filter 1,$(WITH_CUDA)),$(NVCC) for sm $(SM),off ($(NO_CUDA); CPU backends only))"
	@echo "JPEG: $(if $(filter 1,$(WITH_LIBJPEG)),libjpeg,stb_image ($(if $(filter 0,$(JPEG)),JPEG=0,libjpeg not found)))"
	@echo "TIFF: $(if $(filter 1,$(WITH_LIBTIFF)),libtiff,off ($(if $(filter 0,$(TIFF)),TIFF=0,no libtiff 4.5 found)))"
	@$(if $(LEFT_OUT),echo "LAB: off (LAB=0; no \`sat bench\`)")

$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo $(HASH) | cmp -s - $@ || echo $(HASH) >$@

# Without it: the line that installs what is missing, as of `make demo`.
compiler:
	@command -v $(firstword $(CC)) >/dev/null || { packaging/deps.sh --say build jpeg tiff && \
	    echo "make: there is no $(firstword $(CC)); CC=NAME is another compiler" >&2; false; }

$(OBJ)/src/lib/%.o: INC := $(LIB_INC)
$(OBJ)/src/cpu/%.o: INC := $(LIB_INC)
# Where each variable of the loops lies, at each instruction, would take an eighth of their compilation.
$(OBJ)/src/cpu/isa_%.o: INC += -fno-var-tracking
$(OBJ)/src/io/%.o: INC := $(IO_INC)
# With -flto, objcopy could not hide their names.
$(FILE_OBJ): INC += -fno-lto
$(OBJ)/src/cli/%.o: INC := $(CLI_INC)
$(OBJ)/src/lab/%.o: INC := $(CLI_INC) $(LAB_INC)
$(OBJ)/src/lab/lib/%.o: INC := $(LIB_INC) -Isrc/cpu $(LAB_INC)
$(OBJ)/%.o: %.c | compiler
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) $(INC) -c $< -o $@

# Formulas of statistics are those of the host, operation by operation.
$(CU_DIR)/window/%.o $(CU_DIR)/query/%.o: NVCCFLAGS += -fmad=false
$(CU_DIR)/%.o: kernels/%.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# The kernels as one object that shows the descriptors alone: nvcc makes even unnamed namespaces global.
$(OBJ)/kernels.o: $(CU_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -r -nostdlib -Wl,--force-group-allocation -o $@ $^ && $(OBJCOPY) --wildcard --keep-global-symbol='sat_*' $@

## kernels: the kernels alone, for SM="75 90", native or all
kernels: $(CU_OBJ)
	$(if $(CU_OBJ),,$(error make kernels compiles none: $(NO_CUDA)))

## sweep: build/sweep/sat, with every block size and number of elements that `sat bench tune` compares
sweep:
	@$(MAKE) B=$(B)/sweep SWEEP=1 $(B)/sweep/sat

$(B)/libsat.a: $(LIB_OBJ) $(B)/flags
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(LIB_OBJ)

$(B)/libsat.so.$(VERSION): $(LIB_OBJ) $(B)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-soname,libsat.so.$(SOVERSION) -Wl,--no-undefined -Wl,--exclude-libs,ALL $(LIB_OBJ) \
	    $(LINK) $(LIB_LIBS) -o $@

# Table files: one object that shows what sat_file.h declares alone, as src/io has names without a prefix.
$(OBJ)/sat_file.o: $(FILE_OBJ)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && $(OBJCOPY) --wildcard --keep-global-symbol='sat_file_*' $@

$(B)/libsat_file.a: $(OBJ)/sat_file.o $(B)/flags
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(OBJ)/sat_file.o

$(B)/libsat_file.so.$(VERSION): $(FILE_OBJ) $(B)/libsat.so $(B)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-soname,libsat_file.so.$(SOVERSION) -Wl,--no-undefined $(FILE_OBJ) $(B)/libsat.so \
	    $(LINK) $(FILE_LIBS) -o $@

$(B)/libsat_file.so: $(B)/libsat_file.so.$(VERSION)
	$(Q)ln -sf $(<F) $(B)/libsat_file.so.$(SOVERSION) && ln -sf libsat_file.so.$(SOVERSION) $@

$(B)/libsat.so: $(B)/libsat.so.$(VERSION)
	$(Q)ln -sf $(<F) $(B)/libsat.so.$(SOVERSION) && ln -sf libsat.so.$(SOVERSION) $@

$(B)/sat: $(CLI_OBJ) $(IO_OBJ) $(B)/libsat.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CLI_OBJ) $(IO_OBJ) $(B)/libsat.a $(LINK) $(IO_LIBS) $(LIB_LIBS) -o $@

# cmocka's assertions do not tell the compiler that they end the function.
TEST_BASE := $(filter-out -Wmissing-prototypes,$(BASE)) -Wno-maybe-uninitialized -Wno-format-truncation -Wno-unknown-warning-option

$(OBJ)/tests/unit/%.o: INC := $(CLI_INC) $(LAB_INC) -Itests/unit
$(OBJ)/tests/unit/test_moments.o: INC += -Isrc/cpu
$(OBJ)/tests/gpu/window_oracle.o: INC := -Isrc/lib
$(B)/tests/test_window_floats: $(OBJ)/tests/gpu/window_oracle.o
$(B)/tests/test_file_memory: LINK += $(patsubst %,-Xlinker --wrap=%,malloc calloc realloc posix_memalign strdup \
    strndup asprintf)
$(OBJ)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_BASE) $(INC) -c $< -o $@

$(UNIT): $(B)/tests/%: $(OBJ)/tests/unit/%.o $(OBJ)/tests/override.o $(IO_OBJ) $(B)/libsat.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $^ $(LINK) -lcmocka $(IO_LIBS) $(LIB_LIBS) -o $@

# The command and the library that read settings of tests from the environment (src/lib/override.h). override.o comes
# before the library, so that the linker does not take the library's own.
$(OBJ)/tests/override.o: INC := -Isrc/lib
$(B)/tests/sat: $(CLI_OBJ) $(OBJ)/tests/override.o $(IO_OBJ) $(B)/libsat.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $^ $(LINK) $(IO_LIBS) $(LIB_LIBS) -o $@

$(B)/tests/libsat.so: $(OBJ)/tests/override.o $(filter-out %/lib/override.o,$(LIB_OBJ)) $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,--no-undefined $(filter %.o,$^) $(LINK) $(LIB_LIBS) -o $@

$(B)/tsan/%: tests/tsan/%.c $(B)/libsat.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(LIB_INC) $< $(B)/libsat.a $(LINK) $(LIB_LIBS) -o $@

# ---- on a bare machine: packages first, then make again, which then sees them ------------------------------

# On all cores, unless -j was given: then that make shares in its jobs.
AGAIN = --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

PACKAGES_deps           := build jpeg tiff
PACKAGES_deps-test      := build jpeg tiff test
PACKAGES_deps-python    := python
PACKAGES_deps-machines  := build jpeg tiff test machines
PACKAGES_deps-compilers := build jpeg tiff test compilers
PACKAGES_deps-judges    := build jpeg tiff test fuzz bare machines compilers python
PACKAGES_deps-lint      := build jpeg tiff test lint
deps deps-test deps-python deps-machines deps-compilers deps-judges deps-lint:
	@packaging/deps.sh $(PACKAGES_$@)

# `make deps all` installs packages before anything else. Because the Makefile includes what that makes, make then reads
# the Makefile again, and sees the new libraries.
INSTALLS := $(foreach goal,$(MAKECMDGOALS),$(if $(PACKAGES_$(goal)),$(goal)))
FLAGS    := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
DRY_RUN  := $(findstring n,$(FLAGS))$(findstring q,$(FLAGS))$(findstring t,$(FLAGS))
ifneq ($(and $(INSTALLS),$(filter-out $(INSTALLS),$(MAKECMDGOALS))),)
ifeq ($(MAKE_RESTARTS)$(DRY_RUN),)
include $(B)/packages.mk
$(B)/packages.mk: FORCE
	@packaging/deps.sh $(sort $(foreach goal,$(INSTALLS),$(PACKAGES_$(goal))))
	@mkdir -p $(@D) && : >$@
endif
endif

## demo: install what is missing, build, blur a photograph
demo: deps
	@$(MAKE) $(AGAIN) demo-run
demo-run: all
	$(B)/sat data/coffee.png --box 31 -o $(B)/demo.png
	@echo "The blurred picture is $(B)/demo.png; the original is data/coffee.png."

## check: install what is missing (as root), build, run all tests, or those of SUITES (groups and files of tests/run.sh)
check: check-cost deps-test
	@$(MAKE) $(AGAIN) check-run
# Seconds of processors for building and running all, measured in continuous integration.
CHECK_SECONDS := $(if $(filter 1,$(WITH_CUDA)),2300,1700)
check-cost:
	$(if $(SUITES),,@cores=$$(nproc); echo "make check: about $$((($(CHECK_SECONDS) / cores + 90) / 60)) minutes on $$cores idle cores if nothing is" \
	    "built yet; 1 GB in $(B), 2 GB of memory")
unit: $(UNIT) $(B)/tests/sat $(B)/tests/libsat.so $(REPLAY)
check-build: all unit $(if $(SUITES),,simt $(SIMT_UNIT)) $(if $(filter 1,$(WITH_CUDA)),$(B)/gpu/check)
# Before the simulator is built: what it may not include shows in seconds.
$(B)/kernels.now $(B)/kernels.changed: FORCE
	@mkdir -p $(@D)
	@B=$(B) tests/simt/changed.sh $(if $(filter %.now,$@),--all) >$@
check-run: $(B)/kernels.now check-build
	@B=$(B) tests/run.sh $(SUITES)
	$(if $(SUITES),,@mv $(B)/kernels.now $(B)/kernels.passed)

## judges: what takes hours: all tests on other processors, systems, compilers, settings; writes tests/machines/verified.txt
judges: deps-judges
	@B=$(B) tests/machines/judges.sh $(PARTS)

## surroundings: unit, cli and check on one core, with little memory, in other locales, with other rights (as root)
surroundings: deps-test
	@$(MAKE) $(AGAIN) all unit
	@B=$(B) tests/machines/surroundings.sh

## mutants: does the simulator catch each fault of tests/simt/mutants.def? (minutes; no part of check)
mutants: deps-test
	@$(MAKE) $(AGAIN) simt
	@B=$(B) tests/run.sh mutants

## quick: after a small change: laws, units, the command line, and the kernels that changed in the simulator
quick: deps-test
	@$(MAKE) $(AGAIN) quick-run
quick-run: $(B)/kernels.changed all unit
	@B=$(B) tests/run.sh changed cli unit fuzz laws
	@cat $(B)/kernels.changed >>$(B)/kernels.passed

## compilers: build with gcc-11, clang-19 and musl-gcc of Debian 12 (COMPILERS="NAME..."), run the unit tests, compare results
compilers: deps-compilers
	@B=$(B) tests/machines/compilers.sh $(COMPILERS)

## wheel: build/wheel/libsat-*.whl, the Python package, for glibc 2.28 (GLIBC=); as check-python it needs PyPI (docs/python.md)
wheel: deps-python
	@B=$(B) python/check.sh --wheel

## check-python: build the Python package, install it into build/python/venv, test it there
check-python: deps-python
	@B=$(B) python/check.sh

## check-peers: tests of SciPy, astropy, scikit-image, OpenCV and dask-image, with calls of sat in place of theirs: PEERS=
check-peers: deps-python
	@B=$(B) python/check.sh --peers $(PEERS)

## bare: the README's commands on a minimal Debian, which debootstrap makes (as root): RELEASE=bookworm or trixie
bare:
	@B=$(B) RELEASE=$(RELEASE) BRIEF=$(BRIEF) tests/bare/run.sh

## machines: tests on processors that QEMU emulates: x86-64 without AVX2, without AVX-512, and aarch64
machines: deps-machines
	@$(MAKE) $(AGAIN) all unit
	@B=$(B) BRIEF=$(BRIEF) tests/machines/run.sh

## lint: the tests' greps, and clang-format, clang-tidy, cppcheck, shellcheck
lint: deps-lint
	@$(MAKE) $(AGAIN) lint-run
lint-run: all
	@B=$(B) tests/run.sh lint

## asan: SUITES, by default unit, fuzz and cli, under AddressSanitizer, which finds leaks, too, and UBSan; valgrind: unit and fuzz
asan: SUITES ?= unit fuzz cli
# Without WERROR: what sanitizers add makes gcc warn of conversions where there are none.
SANITIZED = $(MAKE) --no-print-directory B=build/$@ CUDA=0 WERROR=0 CFLAGS='-O1 -g -fno-omit-frame-pointer' \
            EXTRA_CFLAGS='$(1)' EXTRA_LDFLAGS='$(1)' build/$@/sat $(if $(2),$(2),unit)
asan:
	@$(call SANITIZED,-fsanitize=address -fsanitize=undefined -fsanitize=float-cast-overflow -fno-sanitize-recover=all)
	@B=build/$@ CI= ASAN_OPTIONS=allocator_may_return_null=1 tests/run.sh $(SUITES)
valgrind: all unit
	@B=$(B) UNDER='valgrind -q --error-exitcode=99 --leak-check=full' tests/run.sh unit fuzz

## tsan: the library, the command and PNG on six threads under ThreadSanitizer
tsan:
	@$(call SANITIZED,-fsanitize=thread,unit build/$@/tsan/stress)
	@B=build/$@ tests/run.sh tsan

## bench: time every backend that is here against the memory ceiling
bench: $(B)/sat
	$(B)/sat bench

## reproduce: the experiments of docs/claims.md on this machine's GPU (docs/bench/reproduce.sh: PARTS, OUT, SAT)
reproduce: $(if $(SAT),,sweep)
	@docs/bench/reproduce.sh

## paths: what each variant of a loop on the CPU wins, to docs/bench/paths.csv (docs/bench/paths.sh: ISAS, NAMES, OUT)
paths:
	@$(MAKE) --no-print-directory B=$(B)/paths CUDA=0 PATHS=1 $(B)/paths/tests/sat
	@SAT=$(B)/paths/tests/sat docs/bench/paths.sh

## peers: install other tools, compare their pixels with ours, time both (see docs/measuring.md)
peers: all
	@B=$(B) tests/peers/peers.sh

## check-gpu: all kernels on this machine's GPU, plain and under compute-sanitizer; writes tests/gpu/verified.txt
check-gpu:
	@B=$(B) tests/gpu/run.sh

## verified: are tests/gpu/verified.txt and tests/machines/verified.txt about these sources, and good?
verified:
	@tests/verified.sh

POINTER_BYTES = $(shell $(CC) -dM -E - </dev/null | sed -n 's/^.define __SIZEOF_POINTER__ //p')
INSTALL_DIRS = PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' MANDIR='$(MANDIR)'
## install: into PREFIX, by default /usr/local, under DESTDIR; BINDIR, LIBDIR, INCLUDEDIR, DATADIR and MANDIR say other places
install: all
	@B=$(B) VERSION=$(VERSION) SOVERSION=$(SOVERSION) LIBS='-pthread $(LIB_LIBS)' FILE_LIBS='-pthread $(FILE_LIBS)' POINTER_BYTES=$(POINTER_BYTES) \
	    LAB=$(LAB) $(INSTALL_DIRS) packaging/install.sh '$(DESTDIR)'

## uninstall: remove what install wrote
uninstall:
	@VERSION=$(VERSION) SOVERSION=$(SOVERSION) $(INSTALL_DIRS) packaging/install.sh --remove '$(DESTDIR)'

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | awk '{at = index($$0, ": "); printf "  make %-10s %s\n", substr($$0, 1, at - 1), substr($$0, at + 2)}'

## clean: remove everything that was built
clean:
	$(Q)if [ $(B) = build ] || [ ! -e $(B) ] || [ -e $(B)/flags ]; then rm -rf $(B); else \
	    echo "clean: $(B) is kept: no $(B)/flags says that make built it; remove it yourself" >&2; false; fi

-include $(LIB_OBJ:.o=.d) $(CU_OBJ:.o=.d) $(IO_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_SRC:%.c=$(OBJ)/%.d) $(OBJ)/tests/override.d $(SIMT_UNIT:=.d)
