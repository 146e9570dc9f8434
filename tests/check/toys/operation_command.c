/* cmd_soften.c - the toy operation as a command.  Its views have their rows from the last one up, and two threads work.
 */
#include <stdlib.h>

#include "command.h"
#include "format.h"
#include "messages.h"
#include "sat_toy.h"

static bool write_image(const char *path, const image *img, error *err)
{
    const image_format *format = format_by_extension(path);
    const encode_options opt = {0};
    sink *out = NULL;
    const bool ok =
        format && sink_open(&out, path, NULL, err) && format->encode(img, &opt, out, err) && sink_commit(&out, err);
    sink_abort(&out);
    return ok;
}

static sat_view upwards(const image *img)
{
    sat_view v = {.width = img->width, .height = img->height, .channels = img->channels, .type = img->type};
    v.row_bytes = -(ptrdiff_t)img->row_bytes;
    if (img->data) v.data = (char *)img->data - (img->height - 1) * v.row_bytes;
    return v;
}

static bool soften(char **argv, const char *backend, const char *mask_path, error *err)
{
    image in = {0}, mask = {0}, out = {0};
    sat_toy *toy = NULL;
    const image_format *format;
    const decode_options opt = {.max_pixels = 1 << 20};
    bool ok = image_read(argv[1], &opt, &in, &format, err);
    ok = ok && (!mask_path || image_read(mask_path, &opt, &mask, &format, err));
    ok = ok && image_alloc(&out, in.width, in.height, in.channels, SAT_F64, err);
    if (ok) {
        const sat_toy_spec spec = {.width = in.width,
                                   .height = in.height,
                                   .channels = in.channels,
                                   .sample = in.type,
                                   .reach = atoi(argv[3]),
                                   .gain = atof(argv[4]),
                                   .border = argv[5],
                                   .masked = mask_path != NULL,
                                   .backend = backend,
                                   .threads = 2};
        const sat_view src = upwards(&in), counts = upwards(&mask), dst = upwards(&out);
        ok = sat_toy_create(&toy, &spec) == SAT_OK &&
             sat_toy_run(toy, &src, mask_path ? &counts : NULL, &dst, NULL) == SAT_OK;
        if (!ok) (void)fail(err, "%s", sat_detail());
    }
    if (ok) say(argv[1], "%s", sat_toy_note(toy));
    ok = ok && write_image(argv[2], &out, err);
    sat_toy_destroy(&toy);
    image_free(&in);
    image_free(&mask);
    image_free(&out);
    return ok;
}

static int run(int argc, char **argv)
{
    error err;
    if (argc < 7) return EXIT_USAGE;
    if (soften(argv, *argv[6] ? argv[6] : NULL, argc > 7 ? argv[7] : NULL, &err)) return EXIT_FINE;
    say(argv[1], "%s", err.text);
    return EXIT_INPUT;
}

const command command_soften = {
    .name = "soften",
    .summary = "runs an operation",
    .help = "  sat soften IN OUT REACH GAIN BORDER BACKEND [MASK]\n",
    .run = run,
};
