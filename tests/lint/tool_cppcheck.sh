#!/bin/bash
# cppcheck over all of src/.  Left out, because version 2.10 is wrong about them and gcc or clang-tidy looks
# at the same: a conditional of compound literals (internalAstError), a compound literal with a cast in it (unknownMacro),
# functions returned from tables (CastIntegerToAddressAtReturn), enum constants printed with %d (invalidPrintfArgType_sint),
# structs that a callee fills (uninitvar, ctuuninitvar), functions that one macro makes, which it takes for each other
# (ctunullpointer), an argument that a macro moves on once more than it is used (uselessAssignmentPtrArg).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

try "cppcheck has nothing to say" cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --error-exitcode=1 -j"${SUITE_JOBS:-$(nproc)}" -D_GNU_SOURCE -D__x86_64__ -DUINTPTR_MAX=UINT64_MAX -DSAT_WITH_LAB=1 -DSAT_WITH_LIBJPEG=1 -DSAT_WITH_LIBTIFF=1 -DSAT_WITH_CUDA=0 \
    --suppress=missingIncludeSystem --suppress=internalAstError --suppress=unknownMacro --suppress=CastIntegerToAddressAtReturn \
    --suppress=uselessAssignmentPtrArg:src/cpu/window_steps_template.h \
    --suppress=invalidPrintfArgType_sint --suppress=uninitvar --suppress=ctuuninitvar --suppress=ctunullpointer -Isrc/lib -Isrc/io -Isrc/cli -Isrc/cpu -Isrc/lab/lib src
finish
