/* cmd_info.c - what an image or a table file is; a table's checksum is verified. */
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "input.h"
#include "messages.h"
#include "number.h"
#include "options.h"
#include "printable.h"
#include "sat_file.h"
#include "text_out.h"

static const char *const channel_names[] = {"", "grey", "grey+alpha", "RGB", "RGBA"};

static const struct {
    const char *name, *key;
} meta_names[META_KINDS] = {
    [META_EXIF] = {"EXIF", "exif_bytes"},
    [META_XMP] = {"XMP", "xmp_bytes"},
    [META_PNG_COLOUR] = {"colour chunks", "colour_bytes"},
    [META_PNG_TEXT] = {"text", "text_bytes"},
    [META_COMMENTS] = {"comments", "comment_bytes"},
    [META_HDR] = {"header lines", "header_bytes"},
    [META_GEOTIFF] = {"GeoTIFF", "geotiff_bytes"},
    [META_GDAL] = {"GDAL", "gdal_bytes"},
};

/* What makes the stored pixels upright, by Exif's orientation. */
static const char *const orientations[] = {
    "",
    "upright",
    "mirrored left to right",
    "turned by 180 degrees",
    "mirrored top to bottom",
    "mirrored at the diagonal from the top left",
    "turned clockwise by 90 degrees",
    "mirrored at the diagonal from the top right",
    "turned anticlockwise by 90 degrees",
};

static bool is_upright(const image_meta *meta)
{
    return meta->orientation <= 1;
}

/* Of the pixels as the file has them, 1 to 8. */
static int stored_orientation(const image_meta *meta)
{
    return !is_upright(meta) ? meta->orientation : meta->turned ? meta->turned : 1;
}

static void put_channels(int bands, int channels, text_out *t)
{
    if (bands > 1)
        text_printf(t, "  channels    %d (bands)\n", bands);
    else
        text_printf(t, "  channels    %d (%s)\n", channels, channel_names[channels]);
}

/* More of a table's channels than a picture's are as many tables in its view. */
static int table_channels(const sat_view *v)
{
    return v->count > 1 ? (int)v->count : v->channels;
}

static void put_meta_text(const image_meta *meta, text_out *t)
{
    int orientation = stored_orientation(meta), n = 0;
    char nodata[NODATA_TEXT_BYTES];
    for (int k = 0; k < META_KINDS; k++)
        if (meta->blocks[k].bytes)
            text_printf(t, "%s%s %zu bytes", n++ ? ", " : "  metadata    ", meta_names[k].name, meta->blocks[k].n);
    if (n > 0) text_string(t, "\n");
    if (orientation > 1)
        text_printf(t, "  orientation %d: %s%s\n", orientation, is_upright(meta) ? "" : "to be ",
                    orientations[orientation]);
    memcpy(nodata, meta->nodata, sizeof nodata);
    make_printable(nodata);
    if (nodata[0]) text_printf(t, "  no data     %s\n", nodata);
    if (meta->mask_page) text_printf(t, "  mask        page %d says which pixels count\n", meta->mask_page - 1);
    if (meta->note[0]) text_printf(t, "  note        %s\n", meta->note);
}

static void put_image_text(const image *img, const image_format *format, text_out *t)
{
    text_printf(t, "  format      %s\n", format->name);
    text_printf(t, "  size        %lld x %lld px\n", (long long)img->width, (long long)img->height);
    put_channels(image_planes(img), img->channels, t);
    if (img->meta.pages > 1) text_printf(t, "  pages       %d (--page)\n", img->meta.pages);
    if (img->meta.blocks_missing)
        text_printf(t, "  sparse      %llu of %llu %ss are not in the file\n",
                    (unsigned long long)img->meta.blocks_missing, (unsigned long long)img->meta.blocks_all,
                    img->meta.tiled ? "tile" : "strip");
    text_printf(t, "  type        %s\n", sat_type_name(img->type));
    if (img->meta.icc) text_printf(t, "  profile     ICC, %zu bytes\n", img->meta.icc_bytes);
    if (img->meta.x_per_metre > 0)
        text_printf(t, "  resolution  %.6g x %.6g px per inch\n", img->meta.x_per_metre * 0.0254,
                    img->meta.y_per_metre * 0.0254);
    put_meta_text(&img->meta, t);
}

static void put_image_json(const image *img, const image_format *format, text_out *t)
{
    text_printf(t,
                ",\"kind\":\"image\",\"format\":\"%s\",\"width\":%lld,\"height\":%lld,\"channels\":%d,\"type\":\"%s\","
                "\"icc_bytes\":%zu",
                format->name, (long long)img->width, (long long)img->height, image_bands(img), sat_type_name(img->type),
                img->meta.icc_bytes);
    for (int k = 0; k < META_KINDS; k++) text_printf(t, ",\"%s\":%zu", meta_names[k].key, img->meta.blocks[k].n);
    if (img->meta.pages > 1) text_printf(t, ",\"pages\":%d", img->meta.pages);
    if (img->meta.blocks_missing)
        text_printf(t, ",\"blocks\":%llu,\"missing_blocks\":%llu", (unsigned long long)img->meta.blocks_all,
                    (unsigned long long)img->meta.blocks_missing);
    text_printf(t, ",\"orientation\":%d,\"upright\":%s", stored_orientation(&img->meta),
                is_upright(&img->meta) ? "true" : "false");
    if (img->meta.x_per_metre > 0)
        text_printf(t, ",\"x_per_metre\":%.17g,\"y_per_metre\":%.17g", img->meta.x_per_metre, img->meta.y_per_metre);
    if (img->meta.nodata[0]) text_json_member(t, "nodata", img->meta.nodata);
    if (img->meta.mask_page) text_printf(t, ",\"mask_page\":%d", img->meta.mask_page - 1);
    if (img->meta.note[0]) text_json_member(t, "note", img->meta.note);
}

static bool put_image(input_file *in, row_source *rows, const decode_options *decode, bool json, text_out *t,
                      error *err)
{
    image img = {0};
    const image_format *format = rows->format;
    const bool by_rows = !in->file.bytes && !rows->whole;
    const bool ok = in->file.bytes ? image_decode(&in->file, decode, &img, &format, err)
                    : by_rows      ? row_source_check(rows, decode, err)
                                   : row_source_image(rows, decode, &img, err);
    source_close(&in->file);
    if (ok) (json ? put_image_json : put_image_text)(by_rows ? &rows->head : &img, format, t);
    image_free(&img);
    return ok;
}

/* The area of the largest rectangle that a q32 table answers: sat.h, sat_quant. */
static int64_t largest_px(const sat_table *table)
{
    return UINT32_MAX / table->quant.largest;
}

static void put_table_text(const sat_table *table, const sat_file_info *f, bool verified, text_out *t)
{
    const sat_view *v = &table->view;
    text_printf(t, "  format      table (.npy), %lld x %lld", (long long)v->height, (long long)v->width);
    if (table_channels(v) > 1) text_printf(t, " x %d", table_channels(v));
    text_printf(t, " of %s%s\n  layout      %s\n", f->entry,
                strcmp(f->entry, "i32") == 0 && v->type == SAT_U32 ? ", read modulo 2^32" : "",
                f->has_trailer                             ? sat_layout_name(table->layout)
                : v->type != SAT_I64 && v->type != SAT_U64 ? "not said (no trailer; it may be an image)"
                                                           : "not said (no trailer)");
    if (!f->has_trailer) return;
    text_printf(t, "  size        %lld x %lld px\n", (long long)f->width, (long long)f->height);
    put_channels((int)v->count, v->channels, t);
    text_printf(t, "  type        %s\n", sat_type_name(table->sample));
    if (strcmp(f->moment, "sum") != 0)
        text_printf(t, "  moments     %s: %ssums%s, of each pixel's channels\n", f->moment,
                    *f->moment == '0' ? "counts, then " : "", strchr(f->moment, '2') ? ", then sums of squares" : "");
    char nodata[REAL_TEXT_BYTES];
    if (table->level != 0) text_printf(t, "  level       %.17g, which was subtracted from the samples\n", table->level);
    if (f->has_nodata)
        text_printf(t, "  no data     %.*s\n", (int)sample_text(nodata, table->sample, f->nodata), nodata);
    if (v->type == SAT_Q32)
        text_printf(t, "  quant       offset %.17g, step %.17g, rectangles of up to %lld px\n", table->quant.offset,
                    table->quant.step, (long long)largest_px(table));
    text_printf(t, "  writer      %s\n  checksum    %016llx %s\n", f->writer, (unsigned long long)f->checksum,
                verified ? "verified" : "WRONG");
}

static void put_table_json(const sat_table *table, const sat_file_info *f, bool verified, text_out *t)
{
    const sat_view *v = &table->view;
    text_printf(t, ",\"kind\":\"table\",\"rows\":%lld,\"columns\":%lld,\"channels\":%d,\"accum\":\"%s\"",
                (long long)v->height, (long long)v->width, table_channels(v), f->entry);
    if (!f->has_trailer) return;
    text_printf(t, ",\"layout\":\"%s\",\"width\":%lld,\"height\":%lld,\"type\":\"%s\"", sat_layout_name(table->layout),
                (long long)f->width, (long long)f->height, sat_type_name(table->sample));
    if (strcmp(f->moment, "sum") != 0) text_printf(t, ",\"moments\":[%s]", f->moment);
    char nodata[REAL_TEXT_BYTES];
    if (table->level != 0) text_printf(t, ",\"level\":%.17g", table->level);
    if (f->has_nodata)
        text_printf(t, ",\"nodata\":\"%.*s\"", (int)sample_text(nodata, table->sample, f->nodata), nodata);
    if (v->type == SAT_Q32)
        text_printf(t, ",\"offset\":%.17g,\"step\":%.17g,\"largest_px\":%lld", table->quant.offset, table->quant.step,
                    (long long)largest_px(table));
    text_string(t, ",\"writer\":");
    text_json_string(t, f->writer);
    text_printf(t, ",\"checksum\":\"%016llx\",\"verified\":%s", (unsigned long long)f->checksum,
                verified ? "true" : "false");
}

static bool put_table(input_file *in, bool json, text_out *t, error *err)
{
    /* Without a trailer nothing depends on the layout: any will do to see shape and type. */
    static const sat_file_options anything = {.foreign = true, .layout = SAT_INCLUSIVE};
    sat_file *file;
    sat_file_info info;
    sat_table table;
    bool ok = sat_file_open_memory(&file, in->file.bytes, in->file.n, &anything) == SAT_OK &&
              sat_file_table(file, &table) == SAT_OK && sat_file_describe(file, &info) == SAT_OK;
    if (ok) {
        ok = !info.has_trailer || sat_file_verify(file) == SAT_OK;
        (json ? put_table_json : put_table_text)(&table, &info, ok, t);
    }
    if (!ok) fail(err, "%s", sat_detail());
    sat_file_close(&file);
    source_close(&in->file);
    return ok;
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_info, .max_pixels = MAX_PIXELS_DEFAULT};
    decode_options decode = {.planes_from = 2, .page = 1};
    static text_out t, one;
    bool json = false;
    error err;
    int c;

    while ((c = options_next(&o, argc, argv)) != -1) switch (c) {
        case OPT_JSON: json = true; break;
        case OPT_AS: decode.array = options_choice(&o, "") == 0 ? ARRAY_IMAGE : ARRAY_TABLE; break;
        case OPT_NO_ORIENT: decode.no_orient = true; break;
        case OPT_STRICT: decode.strict = true; break;
        case OPT_PAGE: options_page(&o, &decode.page); break;
        }
    if (!o.stop && optind == argc) options_refuse(&o, "no input: sat info FILE..., where - is standard input");
    if (o.stop) return o.status;
    decode.max_pixels = o.max_pixels;

    if (!text_open(&t, "-", false, &err)) goto failed;
    for (int i = optind; i < argc; i++) {
        input_file in;
        row_source rows;
        image_memory memory = {.work = NULL};
        decode.memory = &memory;
        bool ok = input_open_rows(&in, &rows, argv[i], &decode, &err) &&
                  (in.is_table ? put_table(&in, json, &one, &err) : put_image(&in, &rows, &decode, json, &one, &err));
        row_source_close(&rows);
        memory_keep(&memory.share, 0);
        if (one.used > 0) {
            if (json) {
                text_string(&t, "{\"file\":");
                text_json_string(&t, argv[i]);
            } else {
                char name[PRINTABLE_BYTES];
                text_printf(&t, "%s\n", printable_name(argv[i], name));
            }
            text_bytes(&t, one.buffer, one.used);
            if (json) text_string(&t, "}\n");
            one.used = 0;
        }
        if (!ok) {
            say(input_name(argv[i]), "%s", err.text);
            o.status = EXIT_INPUT;
        }
    }
    if (text_close(&t, &err)) return o.status;
failed:
    say(output_name("-"), "%s", err.text);
    return EXIT_INPUT;
}

static const char help[] = "Says what an image or a table is. Files are read to their end, so that broken\n"
                           "ones are found, and the checksum of a table is verified. --max-pixels is for\n"
                           "images that are not read by rows.\n"
                           "\n"
                           "  sat info photo.jpg table.npy\n"
                           "  sat info --json *.png\n";

static const char notes[] = "Exit status: 0, or 1 if a file could not be read or a checksum is wrong.\n";

const command command_info = {
    .name = "info",
    .summary = "what an image or a table file is; verifies checksums",
    .help = help,
    .notes = notes,
    .options = INFO,
    .run = run,
};
