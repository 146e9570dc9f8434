/* answers.c - what answers rectangles, in its forms: rows of text, records, an image of cells. */
#include "answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy_header.h"
#include "text_out.h"

static const char SIDES[] = "xywh";

/* What is written in one row. */
typedef struct row {
    answers_input input;
    bool is_real; /* the rectangle has fractions */
    sat_rect rect;
    sat_rect_f64 real;
    double area;           /* of one with fractions */
    const char *others;    /* the fields of the other columns */
    const sat_sum *values; /* [k * channels + c] of column k: sums, or reals (f) */
} row;

struct answers {
    answers_spec spec;
    text_out text;
    answers_input input;
    const rects *from;
    bool begun;        /* an input is answered */
    bool fixed;        /* the columns are; the header is written */
    int channels;      /* the most of an input so far; when fixed, the columns' */
    sat_type sum_type; /* NPY: SAT_I64, SAT_U64 or SAT_F64 */
    uint64_t rows;     /* written */
    uint64_t infinite; /* values that JSON has no number for */
    row *held;         /* until the columns are fixed */
    char *held_others; /* what their fields point to */
    sat_sum *held_values;
    size_t held_n, held_bytes, held_values_n;
    sat_sum *values; /* of a row */
};

bool answers_column_is_real(const answers_column *column)
{
    return !column->sum && !column->area;
}

static int64_t area_of(const row *r)
{
    sat_rect part = rects_inside(&r->rect, r->input.width, r->input.height);
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

/* ---- .npy ----------------------------------------------------------------------------------------- */

static bool has_sums(const answers *s)
{
    for (int i = 0; i < s->spec.stats_n; i++)
        if (s->spec.stats[i].sum) return true;
    return false;
}

static void npy_page(const answers *s, uint8_t page[NPY_PAGE])
{
    enum { FIELD = 48, SIDES_AND_NAME = 5 }; /* bytes of a field's text, at most */
    char fields[FIELD * (STATS_MAX + SIDES_AND_NAME)], vector[16] = "";
    size_t used = 0;
    if (s->channels > 1) snprintf(vector, sizeof vector, ", (%d,)", s->channels);
    if (s->spec.name_bytes > 0)
        used = (size_t)snprintf(fields, sizeof fields, "('file', '|S%zu'), ", s->spec.name_bytes);
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(fields + used, sizeof fields - used, "('%c', '<%c8'), ", SIDES[i],
                                 s->spec.real ? 'f' : 'i');
    for (int i = 0; i < s->spec.stats_n; i++) {
        const answers_column *column = &s->spec.stats[i];
        const sat_type whole = column->sum ? s->sum_type : column->area || column->count ? SAT_I64 : SAT_F64;
        const sat_type type = s->spec.real ? SAT_F64 : whole;
        used += (size_t)snprintf(fields + used, sizeof fields - used, "('%s', '<%c8'%s), ", column->name,
                                 npy_kind(type), column->area ? "" : vector);
    }
    npy_format_records(fields, s->rows, page);
}

/* A sum as f64, rounded once. */
static double real_sum(const row *r, sat_sum sum)
{
    switch (sum_type_of(r->input.type)) {
    case SAT_I64: return r->is_real ? sum.f : (double)sum.i;
    case SAT_U64: return r->is_real ? sum.f : (double)sum.u;
    default: return sum.f;
    }
}

/* Where some rectangles have fractions, all columns are of f64. */
static void put_record(answers *s, const row *r)
{
    text_out *t = &s->text;
    const int64_t area = area_of(r);
    const double real_area = r->is_real ? r->area : (double)area;
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
        const answers_column *column = &s->spec.stats[i];
        const sat_sum *values = r->values + i * s->channels;
        const bool other = column->sum ? s->spec.real : column->count && !s->spec.real; /* than the values */
        if (column->area)
            text_bytes(t, s->spec.real ? (const char *)&real_area : (const char *)&area, sizeof area);
        else if (!other)
            text_bytes(t, (const char *)values, sizeof *values * (size_t)s->channels);
        for (int c = 0; !column->area && other && c < s->channels; c++) {
            sat_sum value = {.f = real_sum(r, values[c])};
            if (column->count) value.i = (int64_t)values[c].f;
            text_bytes(t, (const char *)&value, sizeof value);
        }
    }
}

/* ---- text ----------------------------------------------------------------------------------------- */

/* Is a column of the rectangles named like one of ours, which then takes its place? */
static bool is_ours(const answers *s, const char *name)
{
    if (s->spec.name_bytes > 0 && strcmp(name, "file") == 0) return true;
    for (int i = 0; i < s->spec.stats_n; i++) {
        const char *stat = s->spec.stats[i].name;
        size_t n = strlen(stat);
        const char *number = name + n + 1;
        if (strncmp(name, stat, n) != 0 || (name[n] && name[n] != '.')) continue;
        if (!name[n] || (*number && (!number[1] || !number[strspn(number, "0123456789")]))) return true;
    }
    return false;
}

/* The other columns of a row; fields: theirs, or the names themselves. */
static void put_others(answers *s, const char *fields, bool json)
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

int answers_left_out(const answers *s, name_list *names)
{
    int found = 0;
    bool text = s->from && s->spec.form != ANSWERS_NPY;
    const char *name = text ? rects_other_names(s->from) : NULL;
    for (int i = 0; text && i < rects_others(s->from); i++, name += strlen(name) + 1)
        if (is_ours(s, name)) {
            name_list_add(names, ", ", "%s", name);
            found++;
        }
    return found;
}

static int columns_of(const answers_column *column, int channels)
{
    return column->area ? 1 : channels;
}

static void put_csv_header(answers *s)
{
    text_out *t = &s->text;
    text_string(t, s->spec.name_bytes > 0 ? "file,x,y,w,h" : "x,y,w,h");
    for (int i = 0; i < s->spec.stats_n; i++)
        for (int c = 0; c < columns_of(&s->spec.stats[i], s->channels); c++)
            if (columns_of(&s->spec.stats[i], s->channels) == 1)
                text_printf(t, ",%s", s->spec.stats[i].name);
            else
                text_printf(t, ",%s.%d", s->spec.stats[i].name, c);
    put_others(s, rects_other_names(s->from), false);
    text_bytes(t, "\n", 1);
}

/* Channel c of column k. */
static void put_value(answers *s, const row *r, int k, int c, text_out *t)
{
    const answers_column *column = &s->spec.stats[k];
    sat_type type = column->sum && !r->is_real ? sum_type_of(r->input.type) : SAT_F64;
    const sat_sum value = r->values[k * r->input.channels + c];
    if (column->area && r->is_real)
        text_real(t, r->area);
    else if (column->area)
        text_int(t, area_of(r));
    else if (type == SAT_I64)
        text_int(t, value.i);
    else if (type == SAT_U64)
        text_uint(t, value.u);
    else if (s->spec.form == ANSWERS_JSON && !isfinite(value.f))
        text_string(t, "null"), s->infinite += isinf(value.f) != 0;
    else
        text_real(t, value.f);
}

static void put_side(text_out *t, const row *r, int i)
{
    if (r->is_real)
        text_real(t, real_side_of(&r->real, i));
    else
        text_int(t, side_of(&r->rect, i));
}

static void put_csv(answers *s, const row *r)
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
        for (int c = 0; c < columns_of(&s->spec.stats[i], s->channels); c++) {
            text_bytes(t, ",", 1);
            if (c < r->input.channels) put_value(s, r, i, c, t);
        }
    put_others(s, r->others, false);
    text_bytes(t, "\n", 1);
}

static void put_json(answers *s, const row *r)
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
        const bool vector = !s->spec.stats[i].area;
        text_printf(t, ",\"%s\":%s", s->spec.stats[i].name, vector ? "[" : "");
        for (int c = 0; c < columns_of(&s->spec.stats[i], r->input.channels); c++) {
            if (c > 0) text_bytes(t, ",", 1);
            put_value(s, r, i, c, t);
        }
        if (vector) text_bytes(t, "]", 1);
    }
    put_others(s, r->others, true);
    text_bytes(t, "}\n", 2);
}

/* ---- rows that wait for their columns ------------------------------------------------------------- */

static void put_row(answers *s, const row *r)
{
    s->rows++;
    switch (s->spec.form) {
    case ANSWERS_CSV: put_csv(s, r); break;
    case ANSWERS_JSON: put_json(s, r); break;
    case ANSWERS_NPY: put_record(s, r); break;
    }
}

/* The columns are known: writes the header, and the rows that were held for it. */
static void fix_columns(answers *s)
{
    uint8_t page[NPY_PAGE];
    if (s->fixed || !s->begun) return;
    s->fixed = true;
    if (s->spec.form == ANSWERS_CSV) put_csv_header(s);
    if (s->spec.form == ANSWERS_NPY) {
        npy_page(s, page);
        text_bytes(&s->text, (const char *)page, sizeof page);
        text_rewrite(&s->text, 0, page, sizeof page); /* a stream fails here, and not after all rows */
    }
    for (size_t i = 0; i < s->held_n; i++) put_row(s, &s->held[i]);
}

static size_t others_bytes(const answers *s, const char *fields)
{
    size_t n = 0;
    for (int i = 0; i < rects_others(s->from); i++) n += strlen(fields + n) + 1;
    return n;
}

/* Keeps a row; false if the columns have to be fixed now. */
static bool hold(answers *s, const row *r)
{
    enum { CHANNELS = 4 }; /* for which there is room in all rows */
    const size_t bytes = others_bytes(s, r->others), stats = (size_t)s->spec.stats_n;
    const size_t most = (size_t)ANSWERS_HELD_ROWS * CHANNELS * stats, n = (size_t)r->input.channels * stats;
    if (!s->held) s->held = malloc(ANSWERS_HELD_ROWS * sizeof *s->held);
    if (!s->held_others) s->held_others = malloc(ANSWERS_HELD_BYTES);
    if (!s->held_values) s->held_values = malloc(most * sizeof *s->held_values);
    if (!s->held || !s->held_others || !s->held_values || s->held_n == ANSWERS_HELD_ROWS ||
        bytes > ANSWERS_HELD_BYTES - s->held_bytes || n > most - s->held_values_n)
        return false;
    sat_sum *values = s->held_values + s->held_values_n;
    row *kept = &s->held[s->held_n++];
    *kept = *r;
    kept->values = memcpy(values, r->values, n * sizeof *values);
    s->held_values_n += n;
    kept->others = s->held_others + s->held_bytes;
    if (bytes > 0) memcpy(s->held_others + s->held_bytes, r->others, bytes);
    s->held_bytes += bytes;
    return true;
}

/* ---- from input to input ------------------------------------------------------------------------------------ */

bool answers_open(answers **out, const answers_spec *spec, error *err)
{
    answers *s = *out = calloc(1, sizeof *s);
    if (!s) return fail(err, "out of memory");
    s->spec = *spec;
    static const answers_column area = {.name = "area", .area = true};
    bool has_area = false;
    for (int i = 0; i < spec->stats_n; i++) has_area = has_area || strcmp(spec->stats[i].name, area.name) == 0;
    if (spec->area && !has_area) s->spec.stats[s->spec.stats_n++] = area;
    if (s->spec.cells.format) return true;
    if (text_open(&s->text, spec->output, spec->no_clobber, err)) return true;
    free(s);
    *out = NULL;
    return false;
}

bool answers_next_input(answers *s, const answers_input *input, error *err)
{
    int channels = input->channels;
    answers_cells *cells = &s->spec.cells;
    const answers_column *first = s->spec.stats;
    if (cells->format && !answers_cells_begin(cells, first, input, columns_of(first, channels), err)) return false;
    bool npy = s->spec.form == ANSWERS_NPY, more = channels > s->channels;
    if (s->begun && npy && channels != s->channels)
        return fail(err, "the files before have %d channel%s, this one %d; CSV and JSON take both", s->channels,
                    s->channels > 1 ? "s" : "", channels);
    if (s->begun && npy && has_sums(s) && s->sum_type != sum_type_of(input->type))
        return fail(err, "the sums before are of %s, these of %s; CSV and JSON take both", sat_type_name(s->sum_type),
                    sat_type_name(sum_type_of(input->type)));
    if (s->fixed && more && s->spec.form == ANSWERS_CSV)
        return fail(err, "%d channels, and the %llu rows before were written for %d; --json takes any", channels,
                    (unsigned long long)s->rows, s->channels);
    if (!s->begun) s->sum_type = sum_type_of(input->type);
    if (more) s->channels = channels;
    s->input = *input;
    free(s->values);
    s->values = calloc((size_t)s->spec.stats_n * (size_t)channels, sizeof *s->values);
    return s->values || fail(err, "out of memory");
}

bool answers_take_names(const answers *s, const rects *from, error *err)
{
    const char *name = rects_other_names(from);
    if (s->spec.form != ANSWERS_JSON) return true;
    for (int i = 0; i < rects_others(from); i++, name += strlen(name) + 1) {
        const char *before = rects_other_names(from);
        if (is_ours(s, name)) continue;
        while (before < name && (is_ours(s, before) || !text_json_same(before, name))) before += strlen(before) + 1;
        if (before < name)
            return fail(err, "two columns have the name '%.100s' in JSON, which cannot hold both; CSV can", name);
    }
    return true;
}

/* Where the library puts channel c of rectangle i of n. */
static size_t index_of(const answers *s, size_t i, size_t c, size_t n)
{
    return s->input.planes ? c * n + i : i * (size_t)s->input.channels + c;
}

/* Of n cells, as doubles.  Where cells may be empty, a last output has their counts. */
static void put_cells(answers *s, const sat_rect *list, size_t n, const sat_statistics *given)
{
    const answers_column *column = s->spec.stats;
    const bool counted = given->outputs > answers_column_is_real(column);
    const double *counts = counted ? given->output[given->outputs - 1].values : NULL;
    const double least = column->variance ? (double)given->ddof : 0;
    const sat_type type = sum_type_of(s->input.type);
    const size_t columns = (size_t)columns_of(column, s->input.channels);
    for (size_t i = 0; i < n * columns; i++) {
        const row r = {.input = s->input, .rect = list[i / columns]};
        const size_t at = index_of(s, i / columns, i % columns, n);
        const double value = column->area      ? (double)area_of(&r)
                             : !column->sum    ? given->output->values[at]
                             : type == SAT_I64 ? (double)given->sums[at].i
                             : type == SAT_U64 ? (double)given->sums[at].u
                                               : given->sums[at].f;
        answers_cells_put(&s->spec.cells, value, counts && counts[at] <= least);
    }
}

/* Of rectangle i of n: the values of each column, one behind the other; an area's are not set. */
static void gather(const answers *s, const sat_statistics *given, size_t i, size_t n)
{
    const size_t channels = (size_t)s->input.channels, size = sizeof(sat_sum);
    const sat_rect_output *next = given->output;
    sat_sum *to = s->values;
    for (int k = 0; k < s->spec.stats_n; k++, to += channels) {
        const answers_column *column = &s->spec.stats[k];
        const char *from = column->sum ? (const char *)given->sums : NULL;
        if (answers_column_is_real(column)) from = (const char *)(next++)->values;
        if (!from) continue;
        if (!s->input.planes) memcpy(to, from + i * channels * size, channels * size);
        for (size_t c = 0; s->input.planes && c < channels; c++)
            memcpy(&to[c], from + index_of(s, i, c, n) * size, size);
    }
}

void answers_put(answers *s, const rects *from, size_t at, const rects_chunk *chunk, const sat_statistics *given)
{
    s->begun = true;
    s->from = from;
    if (s->spec.cells.format) {
        put_cells(s, chunk->whole, chunk->n, given);
        return;
    }
    if (s->spec.form != ANSWERS_CSV || !s->spec.several) fix_columns(s);
    for (size_t i = 0; i < chunk->n; i++) {
        row r = {
            .input = s->input, .is_real = chunk->real, .others = rects_other_fields(from, at + i), .values = s->values};
        if (chunk->real)
            r.real = chunk->real[i], r.area = given->areas_f64[i];
        else
            r.rect = chunk->whole[i];
        gather(s, given, i, chunk->n);
        if (!s->fixed && hold(s, &r)) continue;
        fix_columns(s);
        put_row(s, &r);
    }
}

uint64_t answers_infinite(const answers *s)
{
    return s->infinite;
}

bool answers_failed(const answers *s)
{
    return s->text.failed;
}

bool answers_on_stdout(const answers *s)
{
    return s->text.is_stdout;
}

static void free_answers(answers **out)
{
    free((*out)->held);
    free((*out)->held_others);
    free((*out)->held_values);
    free((*out)->values);
    free(*out);
    *out = NULL;
}

bool answers_close(answers **out, error *err)
{
    answers *s = *out;
    uint8_t page[NPY_PAGE];
    if (s->spec.cells.format) {
        const bool written = answers_cells_end(&s->spec.cells, err);
        free_answers(out);
        return written;
    }
    fix_columns(s);
    if (s->fixed && s->spec.form == ANSWERS_NPY) {
        npy_page(s, page);
        text_rewrite(&s->text, 0, page, sizeof page);
    }
    bool ok = text_close(&s->text, err);
    free_answers(out);
    return ok;
}

void answers_abort(answers **out)
{
    if (!*out) return;
    image_free(&(*out)->spec.cells.img);
    if ((*out)->spec.cells.format) {
        free_answers(out);
        return;
    }
    if ((*out)->text.is_stdout) fix_columns(*out);
    text_abort(&(*out)->text);
    free_answers(out);
}
