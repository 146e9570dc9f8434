/* job_run.c - reads an image, and has it filtered or summed. */
#include "job.h"

#include "clock.h"
#include "machine_info.h"
#include "messages.h"

bool job_run(const job *j, const char *input, char *const *outputs, int threads)
{
    image img = {0};
    const image_format *format;
    error err;
    times spent = {0};
    bool at_first = false;
    int at_output = -1;
    const bool windows = j->windows.outputs > 0;
    double start = clock_now_s();
    image_memory memory = {.work = j->table  ? job_table_bytes
                                   : windows ? job_window_bytes
                                             : job_filter_bytes,
                           .context = j};
    decode_options decode = {.max_pixels = j->max_pixels,
                             .no_orient = j->no_orient,
                             .threads = threads,
                             .memory = &memory,
                             .progress = {progress_more, &spent.item},
                             .channels = j->channels};

    job_stage(j, &spent, "decode");
    bool ok = image_read(input, &decode, &img, &format, &err);
    if (ok) {
        spent.decode_s = clock_now_s() - start;
        if (j->verbose)
            say(input_name(input), "%s, %lldx%lld px, %d channel%s, %s", format->name, (long long)img.width,
                (long long)img.height, img.channels, img.channels > 1 ? "s" : "", sat_type_name(img.type));
        if (img.meta.note[0] && !j->quiet) say(input_name(input), "%s", img.meta.note);
        if (!j->table && !windows && j->alpha == ALPHA_DEFAULT && !j->quiet && format->unnamed_channels &&
            image_has_alpha(&img))
            say(input_name(input),
                "the last of its %d channels is taken for alpha, the weight of the others; --alpha straight filters it "
                "like them, --alpha weighted leaves out this line",
                img.channels);
        progress_pixels(&spent.item, (double)img.width * (double)img.height);
        if (windows)
            ok = job_window(j, input, &img, outputs, threads, &spent, &at_output, &err);
        else
            ok = (j->table ? job_table : job_filter)(j, input, &img, outputs[0], threads, &spent, &at_first, &err);
        if (at_first) at_output = 0;
    }
    image_free(&img);
    memory_keep(&memory.share, 0);
    progress_finish(&spent.item);
    if (!ok) say(at_output >= 0 ? output_name(outputs[at_output]) : input_name(input), "%s", err.text);
    int most = threads > 0 ? threads : sat_processors();
    if (ok && j->verbose)
        say(input_name(input), "decode %.1f ms, compute %.1f ms, encode %.1f ms, at most %d thread%s",
            1e3 * spent.decode_s, 1e3 * spent.compute_s, 1e3 * spent.encode_s, most, most > 1 ? "s" : "");
    return ok;
}
