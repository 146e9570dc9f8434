/* bench_list.c - what a bench compares: methods and the reference, ceilings, peers. */
#include <stdio.h>

#include "bench_mode.h"

static void put_text(const bench_method *m, text_out *t)
{
    const char *note = m->kind == SAT_CEILING ? "; a ceiling" : m->kind == SAT_PEER ? "; a peer" : "";
    double reads = m->in_reads + m->out_reads, writes = m->out_writes;
    text_printf(t, "%-16s ", m->id);
    if (reads > 0 || writes > 0) text_printf(t, "%gR%gW  ", reads, writes);
    text_printf(t, "%s%s%s\n", m->available ? "" : "not available: ", m->why, note);
    if (m->summary) text_printf(t, "%-16s %s\n", "", m->summary);
    if (m->paper) text_printf(t, "%-16s %s\n", "", m->paper);
}

static void put_json(const bench_method *m, text_out *t)
{
    text_string(t, "{\"name\":");
    text_json_string(t, m->id);
    text_json_member(t, "kind", sat_kind_name(m->kind));
    text_json_member(t, "summary", m->summary);
    text_json_member(t, "paper", m->paper);
    text_printf(t, ",\"in_reads\":%g,\"out_reads\":%g,\"out_writes\":%g", m->in_reads, m->out_reads, m->out_writes);
    text_printf(t, ",\"device\":%s,\"available\":%s", m->device ? "true" : "false", m->available ? "true" : "false");
    text_json_member(t, "why", m->why);
    text_string(t, "}\n");
}

const char *bench_absent(const bench_mode *mode, absent_line *line)
{
    char name[64];
    size_t used = 0, n = sizeof line->text;
    line->text[0] = 0;
    for (size_t i = 0; mode->absent_at && mode->absent_at(i, name, sizeof name) && used < n; i++)
        used += (size_t)snprintf(line->text + used, n - used, "%s%s", i ? ", " : "", name);
    if (used && used < n)
        snprintf(line->text + used, n - used, " need a GPU and a build with CUDA: `make` where nvcc is%s",
                 mode->method_at == bench_scan_at ? "; `make sweep` for all shapes of blocks" : "");
    return line->text;
}

void bench_list(const bench_mode *mode, bool json, text_out *to)
{
    bench_method m;
    absent_line absent;
    for (size_t i = 0; mode->probed_at(i, &m); i++) (json ? put_json : put_text)(&m, to);
    if (!json && *bench_absent(mode, &absent)) text_printf(to, "\n%s\n", absent.text);
}
