/* bench_list.c - what a bench compares: methods and the reference, ceilings, peers. */
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

static void put_string(text_out *t, const char *name, const char *value)
{
    text_printf(t, ",\"%s\":", name);
    if (value)
        text_json_string(t, value);
    else
        text_string(t, "null");
}

static void put_json(const bench_method *m, text_out *t)
{
    text_string(t, "{\"name\":");
    text_json_string(t, m->id);
    put_string(t, "kind", sat_kind_name(m->kind));
    put_string(t, "summary", m->summary);
    put_string(t, "paper", m->paper);
    text_printf(t, ",\"in_reads\":%g,\"out_reads\":%g,\"out_writes\":%g", m->in_reads, m->out_reads, m->out_writes);
    text_printf(t, ",\"device\":%s,\"available\":%s", m->device ? "true" : "false", m->available ? "true" : "false");
    put_string(t, "why", m->why);
    text_string(t, "}\n");
}

void bench_list(const bench_mode *mode, bool json, text_out *to)
{
    bench_method m;
    for (size_t i = 0; mode->probed_at(i, &m); i++) (json ? put_json : put_text)(&m, to);
}
