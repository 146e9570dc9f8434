/* cmd_query.c - means and sums of rectangles. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "messages.h"
#include "regions.h"

enum {
    OPT_RECT = OPT_OWN,
    OPT_RECTS,
    OPT_STAT,
    OPT_CLIP,
    OPT_LAYOUT,
    OPT_SAMPLE,
    OPT_JSON,
    OPT_NO_CLOBBER,
    OPT_NO_ORIENT,
    OPT_MAX_PIXELS
};

static const struct option longs[] = {
    {"rect", required_argument, NULL, OPT_RECT},
    {"rects", required_argument, NULL, OPT_RECTS},
    {"stat", required_argument, NULL, OPT_STAT},
    {"clip", no_argument, NULL, OPT_CLIP},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"sample", required_argument, NULL, OPT_SAMPLE},
    {"json", no_argument, NULL, OPT_JSON},
    {"output", required_argument, NULL, 'o'},
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    {"no-orient", no_argument, NULL, OPT_NO_ORIENT},
    {"max-pixels", required_argument, NULL, OPT_MAX_PIXELS},
    OPTIONS_MEMORY,
    OPTIONS_RUN,
    OPTIONS_TALK,
    OPTIONS_HELP,
    {0},
};

static const sat_type sample_types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_F32, SAT_F64, SAT_TYPE_NONE};

typedef struct request {
    region_job job;
    sat_rect *list;
    size_t n;
    const char *rects_path;
    bool json;
} request;

static void take(int c, options *o, request *r)
{
    char names[128];
    switch (c) {
    case OPT_RECT:
        if (!parse_rect(optarg, &r->list[r->n++]))
            options_refuse(o, "--rect '%s': a rectangle is X,Y,W,H in whole pixels", optarg);
        break;
    case OPT_RECTS: r->rects_path = optarg; break;
    case OPT_STAT:
        if (!regions_stats(&r->job, optarg)) options_refuse(o, "--stat '%s': mean, sum or both as mean,sum", optarg);
        break;
    case OPT_CLIP: r->job.clip = true; break;
    case OPT_LAYOUT:
        r->job.assume_given = r->job.assume.layout_known = true;
        if (!sat_layout_from_name(optarg, &r->job.assume.layout))
            options_refuse(o, "--layout '%s': padded, inclusive or exclusive", optarg);
        break;
    case OPT_SAMPLE:
        r->job.assume_given = true;
        if (!parse_type(optarg, sample_types, &r->job.assume.sample))
            options_refuse(o, "--sample '%s': the type of the summed image is %s", optarg,
                           type_names(names, sample_types));
        break;
    case OPT_JSON: r->json = true; break;
    case 'o': r->job.output = optarg; break;
    case OPT_NO_CLOBBER: r->job.no_clobber = true; break;
    case OPT_NO_ORIENT: r->job.decode.no_orient = true; break;
    case OPT_MAX_PIXELS:
        if (!parse_int(optarg, 1, INT64_MAX, &r->job.decode.max_pixels))
            options_refuse(o, "--max-pixels '%s': a number of pixels, at least 1", optarg);
        break;
    }
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_query};
    request r = {.job = {.output = "-", .is_query = true, .decode.max_pixels = MAX_PIXELS_DEFAULT, .common = &o}};
    rects *from = NULL;
    error err;
    int c;

    regions_stats(&r.job, "mean,sum");
    r.list = calloc((size_t)argc, sizeof *r.list); /* each --rect takes an argument of its own */
    if (!r.list) {
        say(NULL, "out of memory");
        return EXIT_INPUT;
    }
    while ((c = options_next(&o, argc, argv, OPTIONS_SHORT "qvo:", longs)) != -1) take(c, &o, &r);
    if (!options_end(&o)) goto out;

    if (optind == argc)
        options_refuse(&o, "no input: sat query IMAGE|TABLE --rect X,Y,W,H, where - is standard input");
    else if (optind + 1 < argc)
        options_refuse(&o, "one image or table at a time, not also '%s'", argv[optind + 1]);
    else if (r.n == 0 && !r.rects_path)
        options_refuse(&o, "no rectangle: give --rect X,Y,W,H or --rects FILE");
    else if (r.n > 0 && r.rects_path)
        options_refuse(&o, "--rect and --rects: one or the other");
    else if (r.rects_path && strcmp(r.rects_path, "-") == 0 && strcmp(argv[optind], "-") == 0)
        options_refuse(&o, "the image and the rectangles cannot both be standard input");
    else if (r.rects_path && input_is_output(r.rects_path, r.job.output))
        options_refuse(&o, "-o %s would replace the rectangles by their answers", r.job.output);
    if (o.stop || !regions_form(&r.job, &o, r.json)) goto out;

    r.job.inputs = argv + optind;
    r.job.inputs_n = 1;
    r.job.decode.threads = o.threads;
    if (!(r.rects_path ? rects_open(&from, r.rects_path, &err) : rects_from_list(&from, r.list, r.n, &err))) {
        say(r.rects_path ? input_name(r.rects_path) : NULL, "%s", err.text);
        o.status = EXIT_INPUT;
        goto out;
    }
    o.status = regions_run(&r.job, from);
out:
    rects_close(&from);
    free(r.list);
    return o.status;
}

static const char help[] = "Means and sums of rectangles of an image, or of a table (sat IMAGE -o T.npy).\n"
                           "\n"
                           "  sat query photo.jpg --rect 100,50,64,48       x, y, width, height in pixels\n"
                           "  sat query table.npy --rects boxes.csv -o means.csv\n"
                           "  cut -d, -f2-5 log.csv | sat query table.npy --rects - --stat mean\n"
                           "  sat query cv2.npy --layout padded --rect 0,0,9,9      a table of NumPy, OpenCV\n"
                           "\n"
                           "  --rect X,Y,W,H      may be given many times\n"
                           "  --rects FILE        CSV: x,y,w,h in each line; a header may name the columns\n"
                           "                      in any order. Or an integer .npy of N x 4. - is CSV on\n"
                           "                      standard input\n"
                           "  --stat LIST         the columns: mean,sum [both]\n"
                           "  --clip              cut rectangles to the image; else one outside is an error\n"
                           "  --json              an object in each line instead of CSV\n"
                           "  -o, --output FILE   .csv, .json or .npy; written only if all were answered\n"
                           "  --no-clobber        refuse to replace FILE\n"
                           "  --layout NAME       padded, inclusive, exclusive: of a table without trailer\n"
                           "  --sample TYPE       what it is the sum of: u8 u16 u32 f32 f64 [u8; f32 for\n"
                           "                      float tables]\n"
                           "  --no-orient         leave the EXIF orientation of a photograph alone\n"
                           "  --max-pixels N      refuse larger images [1073741824]\n"
                           "  --max-memory N      refuse what needs more bytes; K, M, G [3/4 of all]\n"
                           "  --backend NAME, --threads N   [SAT_BACKEND, SAT_THREADS, or what pays]\n"
                           "  -q, --quiet   -v, --verbose   -h, --help   -V, --version\n"
                           "\n"
                           "With 2 to 4 channels the columns are mean.0, mean.1 and so on. Sums of integer\n"
                           "images are exact; of a table of f32 or f64 only if the sum of the whole image\n"
                           "is at most 2^24 or 2^53. A table's checksum is compared if it comes through a\n"
                           "pipe, or has at most 64 MiB, or many rectangles; `sat info` compares it always.\n";

const command command_query = {
    .name = "query",
    .summary = "means and sums of rectangles",
    .help = help,
    .run = run,
};
