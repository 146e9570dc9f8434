# gpu.mk - the check harness with the CUDA kernels; included by the Makefile, whose variables it uses.

CHECK_SRC := $(sort $(wildcard tests/gpu/*.c))
CHECK_OBJ := $(CHECK_SRC:%.c=$(OBJ)/%.o) $(CU_DIR)/hog.o

$(OBJ)/tests/gpu/%.o: INC := $(LIB_INC) $(LAB_INC) -Itests/gpu -isystem $(CUDA_HOME)/include
$(CU_DIR)/hog.o: tests/gpu/hog.cu tests/gpu/hog.h
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCCFLAGS) -c $< -o $@

$(B)/gpu/check: $(CHECK_OBJ) $(B)/libsat.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CHECK_OBJ) $(B)/libsat.a $(LINK) $(LIB_LIBS) -o $@

-include $(CHECK_OBJ:.o=.d)
