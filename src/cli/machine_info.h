/* machine.h - where and with what a measurement was made. */
#ifndef CLI_MACHINE_INFO_H
#define CLI_MACHINE_INFO_H

typedef struct machine_info {
    char cpu[128], kernel[128], compiler[128], date[32];
    int cores; /* that this process may use */
} machine_info;

void machine_read(machine_info *m);

#endif
