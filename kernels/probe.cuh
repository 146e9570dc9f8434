/* probe.cuh - whether kernels can run here (device.cu; in the simulator tests/simt/library.cpp). */
#ifndef PROBE_CUH
#define PROBE_CUH

/* True if the current device can run the kernels of this build; *why: what it is called, or what is missing. */
bool device_probe(const char **why);

#endif
