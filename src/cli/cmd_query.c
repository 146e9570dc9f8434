/* cmd_query.c - means, sums, variances and more of rectangles. */
#include "answers_options.h"
#include "command.h"
#include "messages.h"

static void take(int c, options *o, answers_request *r)
{
    answers_job *to = &r->job;
    switch (c) {
    case OPT_FILE_LAYOUT:
        to->assume_given = to->assume.foreign = true;
        if (options_choice(o, "") >= 0) sat_layout_from_name(optarg, &to->assume.layout);
        break;
    case OPT_SAMPLE:
        to->assume_given = true;
        if (options_choice(o, "the type of the summed image is ") >= 0) to->assume.sample = sat_type_from_name(optarg);
        break;
    case OPT_VERIFY: to->verify = true; break;
    case OPT_OUTPUT: to->output = optarg; break;
    default:
        if (!answers_option(r, o, c)) valid_option(&to->valid, o, c);
    }
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_query, .max_pixels = MAX_PIXELS_DEFAULT};
    answers_request r;
    int c;

    if (!answers_request_init(&r, &o, "mean,sum", argc)) return EXIT_INPUT;
    r.job.is_query = true;
    while ((c = options_next(&o, argc, argv)) != -1) take(c, &o, &r);
    if (!options_end(&o) || !answers_request_inputs(&r, &o, argc, argv, "sat query IMAGE|TABLE... --rect X,Y,W,H"))
        goto out;
    if (!options_given(&o, RECTS))
        options_refuse(&o, "no rectangle: give --rect X,Y,W,H, --rects FILE or --grid N");
    else
        o.status = answers_request_run(&r, &o);
out:
    answers_request_free(&r);
    return o.status;
}

static const char help[] = "Means, sums and variances of rectangles of images, or of tables (sat IMAGE -o\n"
                           "T.npy; variances need one of two moments).\n"
                           "\n"
                           "  sat query photo.jpg --rect 100,50,64,48       x, y, width, height in pixels\n"
                           "  sat query table.npy --rects boxes.csv -o means.csv\n"
                           "  cut -d, -f2-5 log.csv | sat query table.npy --rects - --stat mean\n"
                           "  sat query cv2.npy --layout padded --rect 0,0,9,9      a table of NumPy, OpenCV\n";

static const char notes[] = "With 2 to 4 channels the columns are mean.0, mean.1 and so on; alpha is one of\n"
                            "them, and no weight. Sums of integer images are exact; of a table of f32 or f64\n"
                            "only if the sum of the whole image is at most 2^24 or 2^53; beyond, a line says\n"
                            "so. A table's checksum is compared if it comes through a pipe, or has at most\n"
                            "64 MiB, or many rectangles.\n";

const command command_query = {
    .name = "query",
    .summary = "means, sums and variances of rectangles",
    .help = help,
    .notes = notes,
    .options = QUERY,
    .help_more = help_rect_statistics,
    .run = run,
};
