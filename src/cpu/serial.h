/* serial.h - the two halves of the reference; serial.c has its descriptors. */
#ifndef SAT_CPU_SERIAL_H
#define SAT_CPU_SERIAL_H

#include "scan_method.h"

/* serial_scan.c: one array */
sat_status sat_serial_scan_open(const sat_scan_spec *spec, void **state, char *note, size_t note_bytes);
sat_status sat_serial_scan_run(void *state, const void *in, void *out, void *stream);
void sat_serial_scan_close(void *state);

#endif
