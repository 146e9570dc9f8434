/* machine_info.h - where and with what a measurement was made. */
#ifndef LAB_MACHINE_INFO_H
#define LAB_MACHINE_INFO_H

#include <stdbool.h>

typedef struct machine_info {
    char cpu[128], kernel[128], compiler[128], date[32];
    int cores;               /* that this process may use */
    char gpu[256], cuda[64]; /* "" without a device, or when none was asked for */
} machine_info;

void machine_read(machine_info *m, bool with_device);

#endif
