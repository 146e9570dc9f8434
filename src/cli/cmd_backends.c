/* cmd_backends.c - lists what can build tables here. */
#include <stdio.h>

#include "messages.h"
#include "options.h"
#include "text_out.h"

static void put_text(const sat_backend_info *b, text_out *t)
{
    text_printf(t, "%-12s %s%s\n", b->name, b->available ? "" : "not available: ", b->why);
    text_printf(t, "%-12s %s\n", "", b->summary);
    if (b->paper) text_printf(t, "%-12s %s\n", "", b->paper);
}

static const char *boolean(bool b)
{
    return b ? "true" : "false";
}

static void put_json(const sat_backend_info *b, text_out *t)
{
    text_string(t, "{\"name\":");
    text_json_string(t, b->name);
    text_json_member(t, "summary", b->summary);
    text_json_member(t, "paper", b->paper);
    text_printf(t, ",\"device\":%s,\"repeatable\":%s,\"filters\":%s,\"available\":%s", boolean(b->device),
                boolean(b->repeatable), boolean(b->filters), boolean(b->available));
    text_json_member(t, "why", b->why);
    text_string(t, "}\n");
}

/* What a build with CUDA would list besides. */
static void put_absent(text_out *t)
{
    char name[64];
    for (size_t i = 0; sat_backend_absent(i, name, sizeof name); i++)
        text_printf(t, "%s%s", i ? ", " : "\nWith a GPU also: ", name);
    if (sat_backend_absent(0, name, sizeof name))
        text_string(t, ". This build is without CUDA; `make` builds it in where nvcc is.\n");
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_backends};
    static text_out t;
    sat_backend_info info;
    bool json = false;
    error err;
    int c;

    while ((c = options_next(&o, argc, argv)) != -1) json = c == OPT_JSON;
    if (!o.stop && optind < argc) options_refuse(&o, "'%s': nothing but options is taken", argv[optind]);
    if (o.stop) return o.status;

    if (!text_open(&t, "-", false, &err)) goto failed;
    for (size_t i = 0; sat_backend_at(i, &info); i++) { (json ? put_json : put_text)(&info, &t); }
    if (!json) put_absent(&t);
    if (text_close(&t, &err)) return EXIT_FINE;
failed:
    say(output_name("-"), "%s", err.text);
    return EXIT_INPUT;
}

static const char help[] = "Lists what can build tables, best first: name, what it runs on or why it cannot,\n"
                           "what it is, the paper it follows.\n"
                           "\n"
                           "  sat backends\n"
                           "  sat backends --json\n";

const command command_backends = {
    .name = "backends",
    .summary = "what can build tables on this machine, or why it cannot",
    .help = help,
    .options = BACKENDS,
    .run = run,
};
