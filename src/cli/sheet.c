#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "npy_header.h"
#include "text_out.h"

static const struct {
    const char *name;
    bool of_channels, squares; /* a column for each channel; made of squares, too */
} stats[STATS_MAX] = {
    [STAT_MEAN] = {"mean", true, false},  [STAT_SUM] = {"sum", true, false}, [STAT_VAR] = {"var", true, true},
    [STAT_STD] = {"std", true, true},     [STAT_RMS] = {"rms", true, true},  [STAT_COUNT] = {"count", false, false},
    [STAT_AREA] = {"area", false, false},
};
static const char SIDES[] = "xywh";

enum { CHANNELS_MAX = 4, REALS = STAT_RMS + 1 };

/* What is written in one row. */
typedef struct row {
    sheet_input input;
    bool is_real; /* the rectangle has fractions */
    sat_rect rect;
    sat_rect_f64 real;
    double area;        /* of one with fractions */
    const char *others; /* the fields of the other columns */
    sat_sum sums[CHANNELS_MAX];
    double reals[REALS][CHANNELS_MAX]; /* of all others of channels */
} row;

struct sheet {
    sheet_spec spec;
    text_out text;
    sheet_input input;
    const rects *from;
    bool begun;        /* an input is answered */
    bool fixed;        /* the columns are; the header is written */
    int channels;      /* the most of an input so far; when fixed, the columns' */
    sat_type sum_type; /* NPY: SAT_I64, SAT_U64 or SAT_F64 */
    uint64_t rows;     /* written */
    row *held;         /* until the columns are fixed */
    char *held_others; /* what their fields point to */
    size_t held_n, held_bytes;
};

const char *stat_name(stat_id id)
{
    return stats[id].name;
}

bool stat_needs_squares(stat_id id)
{
    return stats[id].squares;
}

const char *stat_list(name_list *names)
{
    for (int s = 0; s < STATS_MAX; s++) name_list_add(names, ",", "%s", stats[s].name);
    return names->text;
}

bool sheet_form_named(const char *output, sheet_form *form)
{
    static const struct {
        const char *extension;
        sheet_form form;
    } known[] = {{".csv", SHEET_CSV},
                 {".json", SHEET_JSON},
                 {".jsonl", SHEET_JSON},
                 {".ndjson", SHEET_JSON},
                 {".npy", SHEET_NPY}};
    const char *slash = strrchr(output, '/'), *dot = strrchr(slash ? slash : output, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(dot, known[i].extension) == 0) {
            *form = known[i].form;
            return true;
        }
    return false;
}

static int64_t area_of(const row *r)
{
    sat_rect part = part_inside(&r->rect, r->input.width, r->input.height);
    return part.width * part.height;
}

static int64_t side_of(const sat_rect *r, int i)
{
    return i == 0 ? r->x : i == 1 ? r->y : i == 2 ? r->width : r->height;
}

static double real_side_of(const sat_rect_f64 *r, int i)
{
    return i == 0 ? r->x : i == 1 ? r->y : i == 2 ? r->width : r->height;
}

/* Which member of a sum counts, as the 64-bit type that holds it exactly. */
static sat_type sum_type_of(sat_type table)
{
    return table == SAT_I32 || table == SAT_I64 ? SAT_I64 : table == SAT_U32 || table == SAT_U64 ? SAT_U64 : SAT_F64;
}

/* ---- .npy ------------------------------------------------------------------------------------------ */

static bool has_sums(const sheet *s)
{
    for (int i = 0; i < s->spec.stats_n; i++)
        if (s->spec.stats[i] == STAT_SUM) return true;
    return false;
}

static void npy_page(const sheet *s, uint8_t page[NPY_PAGE])
{
    char fields[512], vector[16] = "";
    size_t used = 0;
    if (s->channels > 1) snprintf(vector, sizeof vector, ", (%d,)", s->channels);
    if (s->spec.name_bytes > 0)
        used = (size_t)snprintf(fields, sizeof fields, "('file', '|S%zu'), ", s->spec.name_bytes);
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(fields + used, sizeof fields - used, "('%c', '<%c8'), ", SIDES[i],
                                 s->spec.real ? 'f' : 'i');
    for (int i = 0; i < s->spec.stats_n; i++) {
        const stat_id id = s->spec.stats[i];
        const sat_type whole = id == STAT_SUM ? s->sum_type : stats[id].of_channels ? SAT_F64 : SAT_I64;
        const sat_type type = s->spec.real ? SAT_F64 : whole;
        used += (size_t)snprintf(fields + used, sizeof fields - used, "('%s', '<%c8'%s), ", stats[id].name,
                                 npy_kind(type), stats[id].of_channels ? vector : "");
    }
    npy_format_records(fields, s->rows, page);
}

/* A sum as f64, rounded once. */
static double real_sum(const row *r, int c)
{
    switch (sum_type_of(r->input.type)) {
    case SAT_I64: return r->is_real ? r->sums[c].f : (double)r->sums[c].i;
    case SAT_U64: return r->is_real ? r->sums[c].f : (double)r->sums[c].u;
    default: return r->sums[c].f;
    }
}

/* Where some rectangles have fractions, all columns are of f64. */
static void put_record(sheet *s, const row *r)
{
    text_out *t = &s->text;
    const int64_t area = area_of(r);
    const double real_area = r->is_real ? r->area : (double)area;
    double real_sums[CHANNELS_MAX];
    for (int c = 0; c < s->channels; c++) real_sums[c] = real_sum(r, c);
    if (s->spec.name_bytes > 0) {
        size_t n = strlen(r->input.name);
        text_bytes(t, r->input.name, n);
        for (; n < s->spec.name_bytes; n++) text_bytes(t, "", 1);
    }
    for (int i = 0; i < 4; i++) {
        const int64_t whole = side_of(&r->rect, i);
        const double real = r->is_real ? real_side_of(&r->real, i) : (double)whole;
        text_bytes(t, s->spec.real ? (const char *)&real : (const char *)&whole, sizeof real);
    }
    for (int i = 0; i < s->spec.stats_n; i++) {
        const stat_id id = s->spec.stats[i];
        const void *sums = s->spec.real ? (const void *)real_sums : r->sums;
        const void *values = id == STAT_SUM ? sums : r->reals[stats[id].of_channels ? id : 0];
        if (stats[id].of_channels)
            text_bytes(t, values, sizeof(double) * (size_t)s->channels);
        else
            text_bytes(t, s->spec.real ? (const char *)&real_area : (const char *)&area, sizeof area);
    }
}

/* ---- text ------------------------------------------------------------------------------------------ */

/* Is a column of the rectangles named like one of ours, which then takes its place? */
static bool is_ours(const sheet *s, const char *name)
{
    if (s->spec.name_bytes > 0 && strcmp(name, "file") == 0) return true;
    for (int i = 0; i < s->spec.stats_n; i++) {
        const char *stat = stats[s->spec.stats[i]].name;
        size_t n = strlen(stat);
        if (strncmp(name, stat, n) == 0 && (!name[n] || (name[n] == '.' && name[n + 1] && !name[n + 2]))) return true;
    }
    return false;
}

/* The other columns of a row; fields: theirs, or the names themselves. */
static void put_others(sheet *s, const char *fields, bool json)
{
    text_out *t = &s->text;
    const char *name = rects_other_names(s->from);
    for (int i = 0; i < rects_others(s->from); i++) {
        if (!is_ours(s, name)) {
            text_bytes(t, ",", 1);
            if (json) {
                text_json_string(t, name);
                text_bytes(t, ":", 1);
                text_json_string(t, fields);
            } else {
                text_csv_string(t, fields);
            }
        }
        name += strlen(name) + 1;
        fields += strlen(fields) + 1;
    }
}

int sheet_left_out(const sheet *s, name_list *names)
{
    int found = 0;
    bool text = s->from && s->spec.form != SHEET_NPY;
    const char *name = text ? rects_other_names(s->from) : NULL;
    for (int i = 0; text && i < rects_others(s->from); i++, name += strlen(name) + 1)
        if (is_ours(s, name)) {
            name_list_add(names, ", ", "%s", name);
            found++;
        }
    return found;
}

static int columns_of(stat_id id, int channels)
{
    return stats[id].of_channels ? channels : 1;
}

static void put_csv_header(sheet *s)
{
    text_out *t = &s->text;
    text_string(t, s->spec.name_bytes > 0 ? "file,x,y,w,h" : "x,y,w,h");
    for (int i = 0; i < s->spec.stats_n; i++)
        for (int c = 0; c < columns_of(s->spec.stats[i], s->channels); c++)
            if (s->channels == 1 || !stats[s->spec.stats[i]].of_channels)
                text_printf(t, ",%s", stats[s->spec.stats[i]].name);
            else
                text_printf(t, ",%s.%d", stats[s->spec.stats[i]].name, c);
    put_others(s, rects_other_names(s->from), false);
    text_bytes(t, "\n", 1);
}

static void put_value(const sheet *s, const row *r, stat_id stat, int c, text_out *t)
{
    sat_type type = stat == STAT_SUM && !r->is_real ? sum_type_of(r->input.type) : SAT_F64;
    double value = stat == STAT_SUM ? r->sums[c].f : stats[stat].of_channels ? r->reals[stat][c] : 0;
    if (!stats[stat].of_channels && r->is_real)
        text_real(t, r->area);
    else if (!stats[stat].of_channels)
        text_int(t, area_of(r));
    else if (type == SAT_I64)
        text_int(t, r->sums[c].i);
    else if (type == SAT_U64)
        text_uint(t, r->sums[c].u);
    else if (s->spec.form == SHEET_JSON && !isfinite(value))
        text_string(t, "null");
    else
        text_real(t, value);
}

static void put_side(text_out *t, const row *r, int i)
{
    if (r->is_real)
        text_real(t, real_side_of(&r->real, i));
    else
        text_int(t, side_of(&r->rect, i));
}

static void put_csv(sheet *s, const row *r)
{
    text_out *t = &s->text;
    if (s->spec.name_bytes > 0) {
        text_csv_string(t, r->input.name);
        text_bytes(t, ",", 1);
    }
    for (int i = 0; i < 4; i++) {
        if (i > 0) text_bytes(t, ",", 1);
        put_side(t, r, i);
    }
    for (int i = 0; i < s->spec.stats_n; i++)
        for (int c = 0; c < columns_of(s->spec.stats[i], s->channels); c++) {
            text_bytes(t, ",", 1);
            if (c < r->input.channels) put_value(s, r, s->spec.stats[i], c, t);
        }
    put_others(s, r->others, false);
    text_bytes(t, "\n", 1);
}

static void put_json(sheet *s, const row *r)
{
    text_out *t = &s->text;
    text_bytes(t, "{", 1);
    if (s->spec.name_bytes > 0) {
        text_string(t, "\"file\":");
        text_json_string(t, r->input.name);
        text_bytes(t, ",", 1);
    }
    for (int i = 0; i < 4; i++) {
        text_printf(t, "%s\"%c\":", i > 0 ? "," : "", SIDES[i]);
        put_side(t, r, i);
    }
    for (int i = 0; i < s->spec.stats_n; i++) {
        const bool vector = stats[s->spec.stats[i]].of_channels;
        text_printf(t, ",\"%s\":%s", stats[s->spec.stats[i]].name, vector ? "[" : "");
        for (int c = 0; c < columns_of(s->spec.stats[i], r->input.channels); c++) {
            if (c > 0) text_bytes(t, ",", 1);
            put_value(s, r, s->spec.stats[i], c, t);
        }
        if (vector) text_bytes(t, "]", 1);
    }
    put_others(s, r->others, true);
    text_bytes(t, "}\n", 2);
}

/* ---- rows that wait for their columns -------------------------------------------------------------- */

static void put_row(sheet *s, const row *r)
{
    s->rows++;
    switch (s->spec.form) {
    case SHEET_CSV: put_csv(s, r); break;
    case SHEET_JSON: put_json(s, r); break;
    case SHEET_NPY: put_record(s, r); break;
    }
}

/* The columns are known: writes the header, and the rows that were held for it. */
static void fix_columns(sheet *s)
{
    uint8_t page[NPY_PAGE];
    if (s->fixed || !s->begun) return;
    s->fixed = true;
    if (s->spec.form == SHEET_CSV) put_csv_header(s);
    if (s->spec.form == SHEET_NPY) {
        npy_page(s, page);
        text_bytes(&s->text, (const char *)page, sizeof page);
        text_rewrite(&s->text, 0, page, sizeof page); /* a stream fails here, and not after all rows */
    }
    for (size_t i = 0; i < s->held_n; i++) put_row(s, &s->held[i]);
}

static size_t others_bytes(const sheet *s, const char *fields)
{
    size_t n = 0;
    for (int i = 0; i < rects_others(s->from); i++) n += strlen(fields + n) + 1;
    return n;
}

/* Keeps a row; false if the columns have to be fixed now. */
static bool hold(sheet *s, const row *r)
{
    size_t bytes = others_bytes(s, r->others);
    if (!s->held) s->held = malloc(SHEET_HELD_ROWS * sizeof *s->held);
    if (!s->held_others) s->held_others = malloc(SHEET_HELD_BYTES);
    if (!s->held || !s->held_others || s->held_n == SHEET_HELD_ROWS || bytes > SHEET_HELD_BYTES - s->held_bytes)
        return false;
    row *kept = &s->held[s->held_n++];
    *kept = *r;
    kept->others = s->held_others + s->held_bytes;
    if (bytes > 0) memcpy(s->held_others + s->held_bytes, r->others, bytes);
    s->held_bytes += bytes;
    return true;
}

/* ---- the sheet ------------------------------------------------------------------------------------- */

bool sheet_open(sheet **out, const sheet_spec *spec, error *err)
{
    sheet *s = *out = calloc(1, sizeof *s);
    if (!s) return fail(err, "out of memory");
    s->spec = *spec;
    bool has_area = false;
    for (int i = 0; i < spec->stats_n; i++) has_area |= spec->stats[i] == STAT_AREA;
    if (spec->area && !has_area) s->spec.stats[s->spec.stats_n++] = STAT_AREA;
    if (s->spec.cells.format) return true;
    if (text_open(&s->text, spec->output, spec->no_clobber, err)) return true;
    free(s);
    *out = NULL;
    return false;
}

bool sheet_next_input(sheet *s, const sheet_input *input, error *err)
{
    int channels = input->channels;
    cell_image *cells = &s->spec.cells;
    if (cells->format &&
        !cell_image_begin(cells, input->width, input->height, columns_of(s->spec.stats[0], channels), err))
        return false;
    bool npy = s->spec.form == SHEET_NPY, more = channels > s->channels;
    if (s->begun && npy && channels != s->channels)
        return fail(err, "the files before have %d channel%s, this one %d; CSV and JSON take both", s->channels,
                    s->channels > 1 ? "s" : "", channels);
    if (s->begun && npy && has_sums(s) && s->sum_type != sum_type_of(input->type))
        return fail(err, "the sums before are of %s, these of %s; CSV and JSON take both", sat_type_name(s->sum_type),
                    sat_type_name(sum_type_of(input->type)));
    if (s->fixed && more && s->spec.form == SHEET_CSV)
        return fail(err, "%d channels, and the %llu rows before were written for %d; --json takes any", channels,
                    (unsigned long long)s->rows, s->channels);
    if (!s->begun) s->sum_type = sum_type_of(input->type);
    if (more) s->channels = channels;
    s->input = *input;
    return true;
}

bool sheet_takes_names(const sheet *s, const rects *from, error *err)
{
    const char *name = rects_other_names(from);
    if (s->spec.form != SHEET_JSON) return true;
    for (int i = 0; i < rects_others(from); i++, name += strlen(name) + 1) {
        const char *before = rects_other_names(from);
        if (is_ours(s, name)) continue;
        while (before < name && (is_ours(s, before) || !text_json_same(before, name))) before += strlen(before) + 1;
        if (before < name)
            return fail(err, "two columns have the name '%.100s' in JSON, which cannot hold both; CSV can", name);
    }
    return true;
}

/* Of n cells, as doubles. */
static void put_cells(sheet *s, const sat_rect *list, size_t n, const sat_sum *sums, const double *reals)
{
    const stat_id id = s->spec.stats[0];
    const sat_type type = sum_type_of(s->input.type);
    const size_t columns = (size_t)columns_of(id, s->input.channels);
    for (size_t i = 0; i < n * columns; i++) {
        const row r = {.input = s->input, .rect = list[i / columns]};
        const double value = !stats[id].of_channels ? (double)area_of(&r)
                             : id != STAT_SUM       ? reals[i]
                             : type == SAT_I64      ? (double)sums[i].i
                             : type == SAT_U64      ? (double)sums[i].u
                                                    : sums[i].f;
        cell_image_put(&s->spec.cells, value);
    }
}

void sheet_rows(sheet *s, const rects *from, size_t at, const rect_chunk *chunk, const sat_statistics *answers)
{
    const double *const reals[REALS] = {[STAT_MEAN] = answers->means,
                                        [STAT_VAR] = answers->variances,
                                        [STAT_STD] = answers->deviations,
                                        [STAT_RMS] = answers->roots};
    size_t channels = (size_t)s->input.channels;
    s->begun = true;
    s->from = from;
    if (s->spec.cells.format) {
        put_cells(s, chunk->whole, chunk->n, answers->sums,
                  reals[stats[s->spec.stats[0]].of_channels ? s->spec.stats[0] : 0]);
        return;
    }
    if (s->spec.form != SHEET_CSV || !s->spec.several) fix_columns(s);
    for (size_t i = 0; i < chunk->n; i++) {
        row r = {.input = s->input, .is_real = chunk->real, .others = rects_other_fields(from, at + i)};
        if (chunk->real)
            r.real = chunk->real[i], r.area = answers->areas_f64[i];
        else
            r.rect = chunk->whole[i];
        if (answers->sums) memcpy(r.sums, answers->sums + i * channels, channels * sizeof *r.sums);
        for (int k = 0; k < REALS; k++)
            if (reals[k]) memcpy(r.reals[k], reals[k] + i * channels, channels * sizeof *r.reals[k]);
        if (!s->fixed && hold(s, &r)) continue;
        fix_columns(s);
        put_row(s, &r);
    }
}

bool sheet_failed(const sheet *s)
{
    return s->text.failed;
}

bool sheet_is_stdout(const sheet *s)
{
    return s->text.is_stdout;
}

static void sheet_free(sheet **out)
{
    free((*out)->held);
    free((*out)->held_others);
    free(*out);
    *out = NULL;
}

bool sheet_close(sheet **out, error *err)
{
    sheet *s = *out;
    uint8_t page[NPY_PAGE];
    if (s->spec.cells.format) {
        const bool written = cell_image_end(&s->spec.cells, err);
        sheet_free(out);
        return written;
    }
    fix_columns(s);
    if (s->fixed && s->spec.form == SHEET_NPY) {
        npy_page(s, page);
        text_rewrite(&s->text, 0, page, sizeof page);
    }
    bool ok = text_close(&s->text, err);
    sheet_free(out);
    return ok;
}

void sheet_abort(sheet **out)
{
    if (!*out) return;
    image_free(&(*out)->spec.cells.img);
    if ((*out)->spec.cells.format) {
        sheet_free(out);
        return;
    }
    if ((*out)->text.is_stdout) fix_columns(*out);
    text_abort(&(*out)->text);
    sheet_free(out);
}
