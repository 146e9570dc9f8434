# fuzz.mk - the fuzz targets tests/fuzz/fuzz_NAME.c, twice: $(B)/fuzz/replay_NAME runs the corpus in every `make check`,
# $(B)/fuzz/NAME is libFuzzer's.  Included by the Makefile, whose variables it uses.

FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAY     := $(FUZZ_NAMES:%=$(B)/fuzz/replay_%)

# The command line's objects as an archive, from which a target takes what it calls; main() under another name.
CLI_PARTS = $(filter-out %/main.o,$(CLI_OBJ)) $(OBJ)/fuzz/main.o

$(OBJ)/tests/fuzz/%.o: INC := $(CLI_INC) $(LAB_INC) -Itests/fuzz
$(OBJ)/fuzz/main.o: src/cli/main.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -Wmissing-prototypes,$(BASE)) $(CLI_INC) -Dmain=sat_main -c $< -o $@
$(OBJ)/fuzz/cli.a: $(CLI_PARTS)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^
$(B)/fuzz/replay_%: $(OBJ)/tests/fuzz/fuzz_%.o $(OBJ)/tests/fuzz/replay.o $(OBJ)/fuzz/cli.a $(IO_OBJ) $(B)/libsat.a $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out %/flags,$^) $(LINK) $(IO_LIBS) $(LIB_LIBS) -o $@
.SECONDARY: $(FUZZ_NAMES:%=$(OBJ)/tests/fuzz/fuzz_%.o) $(OBJ)/tests/fuzz/replay.o

# ---- libFuzzer ------------------------------------------------------------------------------------------
#
# All of the library, io/ and the command line with the sanitizers, without CUDA, in a folder of their own.  Coverage is
# counted in src/ alone: what a target itself compares guides to nothing.

SECONDS     ?= 60
TARGETS     ?= $(FUZZ_NAMES)
FUZZ_CC     ?= clang
FUZZ_OUT    ?= $(B)/fuzz
FUZZ_CHECKS := address,undefined,float-cast-overflow
FUZZ_JPEG   := $(WITH_LIBJPEG)
FUZZ_TIFF   := $(WITH_LIBTIFF)
FUZZ_FLAGS  = $(STD) -O1 -g -fno-omit-frame-pointer -fsanitize=$(FUZZ_CHECKS) -fno-sanitize-recover=all \
              -DSAT_WITH_CUDA=0 -DSAT_WITH_LAB=1 -DSAT_WITH_LIBJPEG=$(FUZZ_JPEG) -DSAT_WITH_LIBTIFF=$(FUZZ_TIFF) -pthread -MMD -MP $(FUZZ_EXTRA)
FUZZ_LIBS   = $(call io_libs,$(FUZZ_JPEG),$(FUZZ_TIFF)) -lm
FUZZ_HASH   = $(call hash,$(FUZZ_CC) $(FUZZ_FLAGS))
FUZZ_OBJ    = $(FUZZ_OUT)/obj/$(FUZZ_HASH)
FUZZ_SRC    := $(LIB_SRC) $(IO_SRC) $(CLI_SRC) tests/fuzz/driver.c
FUZZ_PARTS  = $(FUZZ_SRC:%.c=$(FUZZ_OBJ)/%.o)

ifneq ($(filter fuzz msan $(FUZZ_OUT)/%,$(MAKECMDGOALS)),)
$(FUZZ_OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) $(IO_INC) $(CLI_INC) $(LAB_INC) -Isrc/cpu -Itests/fuzz $(if $(filter src/%,$<),-fsanitize=fuzzer-no-link) \
	    $(if $(filter %/main.c,$<),-Dmain=sat_main) -c $< -o $@
$(FUZZ_OBJ)/parts.a: $(FUZZ_PARTS)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^
$(FUZZ_NAMES:%=$(FUZZ_OUT)/%): $(FUZZ_OUT)/%: $(FUZZ_OBJ)/tests/fuzz/fuzz_%.o $(FUZZ_OBJ)/tests/fuzz/driver.o $(FUZZ_OBJ)/parts.a
	$(Q)$(FUZZ_CC) -g -fsanitize=fuzzer,$(FUZZ_CHECKS) $^ $(FUZZ_LIBS) -pthread -o $@
.SECONDARY: $(FUZZ_NAMES:%=$(FUZZ_OBJ)/tests/fuzz/fuzz_%.o)
-include $(FUZZ_PARTS:.o=.d) $(FUZZ_NAMES:%=$(FUZZ_OBJ)/tests/fuzz/fuzz_%.d)
endif

## fuzz: fuzz TARGETS="NAME..." (all) for SECONDS=60 each, with libFuzzer, ASan and UBSan
.PHONY: fuzz msan deps-fuzz
deps-fuzz:
	@packaging/deps.sh build jpeg tiff fuzz
fuzz: deps-fuzz
	@$(MAKE) $(AGAIN) $(TARGETS:%=$(FUZZ_OUT)/%)
	@FUZZ=$(FUZZ_OUT) tests/fuzz/run.sh $(SECONDS) $(TARGETS)

## msan: the same with MemorySanitizer, but for what goes through libraries that it does not see: PNG, libjpeg, libtiff
msan: deps-fuzz
	@$(MAKE) $(AGAIN) FUZZ_OUT=$(B)/msan FUZZ_CHECKS=memory FUZZ_JPEG=0 FUZZ_TIFF=0 FUZZ_EXTRA='-DXXH_INLINE_ALL -fsanitize-memory-track-origins' \
	    $(TARGETS:%=$(B)/msan/%)
	@FUZZ=$(B)/msan tests/fuzz/run.sh $(SECONDS) $(TARGETS)

-include $(FUZZ_NAMES:%=$(OBJ)/tests/fuzz/fuzz_%.d) $(OBJ)/tests/fuzz/replay.d $(OBJ)/fuzz/main.d
