# simt.mk - builds the simulator, and what runs in it; included by the Makefile, and works alone:
#
#     make -f tests/simt/simt.mk [B=build]      $(B)/simt/check and $(B)/simt/test_*

B ?= build
SIMT_CXX     ?= g++
SIMT_CC      ?= gcc
SIMT_OUT     := $(B)/simt
SIMT_OBJ     := $(B)/simt/obj

# device.cu is CUDA's side of src/lib/device.h, for which library.cpp answers here; kernels/peer/ calls other libraries.
SIMT_CU := $(filter-out kernels/device.cu kernels/peer/%,$(sort $(wildcard kernels/*.cu kernels/*/*.cu)))
SIMT_INC := -DSAT_SIMT -DSAT_WITH_CUDA=1 -DSAT_WITH_LAB=1 -Itests/simt -Isrc/lib -Isrc/lab/lib -Ikernels
# Kernels take longer to compile than to run, at any level above none.  SIMT_OPT='-O0 -g', from nothing, for a debugger that
# shows variables.  mutants.sh makes a shared library of them.
SIMT_OPT ?= -O0 -g1
SIMT_KERNEL_FLAGS := -std=c++20 $(SIMT_OPT) -fPIC -ffp-contract=off -Wall -Wextra -Wno-missing-field-initializers -Wno-unknown-pragmas \
    -fno-exceptions -fno-rtti -fno-strict-aliasing -fstack-clash-protection $(SIMT_INC) -MMD -MP
SIMT_FLAGS := -std=c++20 -O2 -g -Wall -Wextra -Wno-missing-field-initializers -Wno-unknown-pragmas $(SIMT_INC) -MMD -MP
SIMT_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -pthread -Isrc/lib -Isrc/cpu $(SIMT_INC) -MMD -MP

SIMT_ENGINE  := $(patsubst tests/simt/%.cpp,$(SIMT_OBJ)/simt/%.o,$(filter-out tests/simt/test_%,$(wildcard tests/simt/*.cpp)))
# The loops of the CPU know neither devices nor the simulator: the Makefile sets its own objects here.
SIMT_CPU     ?= $(patsubst src/%.c,$(SIMT_OBJ)/%.o,$(sort $(wildcard src/cpu/*.c)))
SIMT_LIBRARY := $(patsubst src/%.c,$(SIMT_OBJ)/%.o,$(sort $(wildcard src/lib/*.c src/lab/lib/*.c))) $(SIMT_CPU)
# Streams are in order here, and 2^31 elements take too long.
SIMT_CHECK   := $(filter-out tests/gpu/subject_streams.c tests/gpu/subject_big.c,$(wildcard tests/gpu/*.c))
SIMT_CU_OBJ  := $(patsubst kernels/%.cu,$(SIMT_OUT)/kernels/%.o,$(SIMT_CU))

.PHONY: simt
simt: $(patsubst tests/simt/%.cpp,$(SIMT_OUT)/%,$(wildcard tests/simt/test_*.cpp)) $(SIMT_OUT)/check

$(SIMT_OBJ)/simt/%.o: tests/simt/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(SIMT_CXX) $(SIMT_FLAGS) -c $< -o $@

$(SIMT_OBJ)/gpu/%.o: tests/gpu/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(SIMT_CC) $(SIMT_CFLAGS) -c $< -o $@

$(SIMT_OBJ)/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(SIMT_CC) $(SIMT_CFLAGS) -c $< -o $@

# The flags stand in this file.
$(SIMT_OUT)/kernels/%.o: kernels/%.cu tests/simt/simt.mk
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(SIMT_CXX) $(SIMT_KERNEL_FLAGS) -x c++ -c $< -o $@

$(SIMT_OUT)/test_%: $(SIMT_OBJ)/simt/test_%.o $(filter-out %/library.o,$(SIMT_ENGINE))
	@mkdir -p $(@D)
	$(Q)$(SIMT_CXX) $^ -o $@

SIMT_CHECK_OBJ := $(SIMT_CHECK:tests/gpu/%.c=$(SIMT_OBJ)/gpu/%.o) $(SIMT_CU_OBJ) $(SIMT_LIBRARY) $(SIMT_ENGINE)
$(SIMT_OUT)/check: $(SIMT_CHECK_OBJ)
	@mkdir -p $(@D)
	$(Q)$(SIMT_CXX) $^ -pthread -lm -o $@

## check-deep: 10,000 schedules of every kernel in the simulator; writes tests/simt/deep.txt
.PHONY: check-deep
check-deep: simt
	B=$(B) tests/simt/deep.sh

# Objects of the simulator's own tests are kept: nothing is printed after the last line of `make check`.
.SECONDARY: $(patsubst tests/simt/%.cpp,$(SIMT_OBJ)/simt/%.o,$(wildcard tests/simt/test_*.cpp))

# For mutants.sh, and for changed.sh.
.PHONY: simt-objects simt-kernels simt-harness
simt-objects: $(SIMT_CHECK_OBJ)
	@echo $^
simt-kernels:
	@echo $(SIMT_CU)
simt-harness:
	@echo $(filter-out tests/simt/test_%,$(wildcard tests/simt/*.cpp)) $(SIMT_CHECK)

-include $(SIMT_ENGINE:.o=.d) $(SIMT_LIBRARY:.o=.d) $(SIMT_CU_OBJ:.o=.d) $(wildcard $(SIMT_OBJ)/gpu/*.d $(SIMT_OBJ)/simt/test_*.d)
