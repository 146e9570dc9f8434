/* cmd_query.c - means, sums, variances and more of rectangles. */
#include "channel_options.h"
#include "help.h"
#include "messages.h"
#include "region_options.h"

enum { OPT_LAYOUT = OPT_OWN, OPT_SAMPLE, OPT_VERIFY, OPT_NO_CLOBBER, OPT_NO_ORIENT };

static const struct option longs[] = {
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"sample", required_argument, NULL, OPT_SAMPLE},
    {"verify", no_argument, NULL, OPT_VERIFY},
    {"output", required_argument, NULL, 'o'},
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    {"no-orient", no_argument, NULL, OPT_NO_ORIENT},
    OPTIONS_CHANNELS,
    {"grid", required_argument, NULL, OPT_GRID},
    OPTIONS_LIMITS,
    OPTIONS_REGIONS,
    OPTIONS_RUN,
    OPTIONS_VERBOSITY,
    OPTIONS_HELP,
    {0},
};

static const sat_type sample_types[] = {SAT_U8,  SAT_U16, SAT_U32, SAT_I8,       SAT_I16,
                                        SAT_I32, SAT_F32, SAT_F64, SAT_TYPE_NONE};

static void take(int c, options *o, region_request *r)
{
    name_list names = {.used = 0};
    if (region_option(r, o, c) || channel_option(&r->job.decode.channels, o, c)) return;
    switch (c) {
    case OPT_LAYOUT:
        r->job.assume_given = r->job.assume.foreign = true;
        if (!sat_layout_from_name(optarg, &r->job.assume.layout))
            options_refuse(o, "--layout '%s': padded, inclusive or exclusive", optarg);
        break;
    case OPT_SAMPLE:
        r->job.assume_given = true;
        if (!parse_type(optarg, sample_types, &r->job.assume.sample))
            options_refuse(o, "--sample '%s': the type of the summed image is %s", optarg,
                           type_names(&names, sample_types));
        break;
    case OPT_VERIFY: r->job.verify = true; break;
    case 'o': r->job.output = optarg; break;
    case OPT_NO_CLOBBER: r->job.no_clobber = true; break;
    case OPT_NO_ORIENT: r->job.decode.no_orient = true; break;
    }
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_query, .max_pixels = MAX_PIXELS_DEFAULT};
    region_request r;
    int c;

    if (!region_request_init(&r, &o, "mean,sum", argc)) return EXIT_INPUT;
    r.job.is_query = true;
    while ((c = options_next(&o, argc, argv, OPTIONS_SHORT "qvo:0", longs)) != -1) take(c, &o, &r);
    if (!options_end(&o) || !region_inputs(&r, &o, argc, argv, "sat query IMAGE|TABLE... --rect X,Y,W,H")) goto out;
    if (r.list_n == 0 && !r.rects_path && !r.job.cell_width)
        options_refuse(&o, "no rectangle: give --rect X,Y,W,H, --rects FILE or --grid N");
    else
        o.status = region_answer(&r, &o);
out:
    region_request_free(&r);
    return o.status;
}

static const char help[] = "Means, sums and variances of rectangles of images, or of tables (sat IMAGE -o\n"
                           "T.npy; var, std and rms need one of two moments).\n"
                           "\n"
                           "  sat query photo.jpg --rect 100,50,64,48       x, y, width, height in pixels\n"
                           "  sat query table.npy --rects boxes.csv -o means.csv\n"
                           "  cut -d, -f2-5 log.csv | sat query table.npy --rects - --stat mean\n"
                           "  sat query cv2.npy --layout padded --rect 0,0,9,9      a table of NumPy, OpenCV\n"
                           "\n"
                           "  --rect X,Y,W,H      may be given many times; sides may have fractions\n"
                           "  --rects FILE        CSV: x,y,w,h in each line; a header may name them, or\n"
                           "                      x0,y0,x1,y1, in any order; other columns are kept.\n"
                           "                      Or JSON lines: objects with these names, or [x,y,w,h].\n"
                           "                      Or a .npy of N x 4. - is standard input. Of sides with\n"
                           "                      fractions, pixels count by the area covered\n"
                           "  --grid N|WxH        cells of that size, in order; with one --stat and -o .npy,\n"
                           "                      .tif or .pfm, an image of the cells\n"
                           "  --stat LIST         the columns: statistics of the list below [mean,sum]\n"
                           "  --ddof N            a variance is divided by the pixels less N [0]\n"
                           "  --clip              cut rectangles to the image, and print the area that is\n"
                           "                      left; else one outside is an error\n"
                           "  --json              an object in each line instead of CSV\n"
                           "  -o, --output FILE   .csv, .json or .npy; written only if all were answered\n"
                           "  --no-clobber        refuse to replace FILE\n"
                           "  --files-from FILE   more inputs; - is standard input; -0, --null: zero-ended\n"
                           "  --layout NAME       padded, inclusive, exclusive: of a table without trailer\n"
                           "  --sample TYPE       what it is the sum of: u8 u16 u32 i8 i16 i32 f32 f64\n"
                           "                      [u8; f32 for float tables]\n"
                           "  --as image|table    what an .npy of other software is\n"
                           "  --verify            compare a table's checksum, whatever its size\n"
                           "  --gray, --channel N|r|g|b|a    its luma, or one channel, in place of an image\n"
                           "  --no-orient         keep pixels as stored, not turned by EXIF orientation\n"
                           "  --max-pixels N      refuse larger images; K, M, G are 2^10, 2^20, 2^30 [1G]\n"
                           "  --max-memory N      refuse what needs more bytes; K, M, G [3/4 of all]\n"
                           "  --backend NAME, --threads N   [SAT_BACKEND, SAT_THREADS, else automatic]\n"
                           "  -q, --quiet   -v, --verbose   -h, --help   -V, --version\n"
                           "\n"
                           "With 2 to 4 channels the columns are mean.0, mean.1 and so on; alpha is one of\n"
                           "them, and no weight. Sums of integer images are exact; of a table of f32 or f64\n"
                           "only if the sum of the whole image is at most 2^24 or 2^53; beyond, a line says\n"
                           "so. A table's checksum is compared if it comes through a pipe, or has at most\n"
                           "64 MiB, or many rectangles.\n";

const command command_query = {
    .name = "query",
    .summary = "means, sums and variances of rectangles",
    .help = help,
    .help_more = help_rect_statistics,
    .run = run,
};
