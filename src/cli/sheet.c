#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "npy_header.h"
#include "printable.h"
#include "text_out.h"

static const char *const stat_names[] = {[STAT_MEAN] = "mean", [STAT_SUM] = "sum"};
static const char SIDES[] = "xywh";

struct sheet {
    sheet_spec spec;
    text_out text;
    const char *input;
    int channels;
    sat_type type;     /* of the table that the rows come from */
    int header;        /* the header's channels; 0 = not written */
    sat_type sum_type; /* NPY: SAT_I64, SAT_U64 or SAT_F64, the header's */
    uint64_t rows;
};

const char *stat_name(stat_id id)
{
    return stat_names[id];
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

/* ---- .npy ------------------------------------------------------------------------------------------ */

/* Which member of a sum counts, as the 64-bit type that holds it exactly. */
static sat_type sum_type_of(sat_type table)
{
    return table == SAT_I64 ? SAT_I64 : table == SAT_U32 || table == SAT_U64 ? SAT_U64 : SAT_F64;
}

static bool has_sums(const sheet *s)
{
    for (int i = 0; i < s->spec.stats_n; i++)
        if (s->spec.stats[i] == STAT_SUM) return true;
    return false;
}

static void npy_page(const sheet *s, uint8_t page[NPY_PAGE])
{
    char fields[512];
    size_t used = 0;
    if (s->spec.name_bytes > 0)
        used = (size_t)snprintf(fields, sizeof fields, "('file', '|S%zu'), ", s->spec.name_bytes);
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(fields + used, sizeof fields - used, "('%c', '<i8'), ", SIDES[i]);
    for (int i = 0; i < s->spec.stats_n; i++) {
        bool is_sum = s->spec.stats[i] == STAT_SUM;
        char kind = !is_sum || s->sum_type == SAT_F64 ? 'f' : s->sum_type == SAT_I64 ? 'i' : 'u';
        used +=
            (size_t)snprintf(fields + used, sizeof fields - used, "('%s', '<%c8'", stat_names[s->spec.stats[i]], kind);
        used += s->channels > 1 ? (size_t)snprintf(fields + used, sizeof fields - used, ", (%d,)), ", s->channels)
                                : (size_t)snprintf(fields + used, sizeof fields - used, "), ");
    }
    npy_format_records(fields, s->rows, page);
}

static void put_record(sheet *s, const sat_rect *r, const sat_sum *sums, const double *means)
{
    text_out *t = &s->text;
    const int64_t side[4] = {r->x, r->y, r->width, r->height};
    if (s->spec.name_bytes > 0) {
        size_t n = strlen(s->input);
        text_bytes(t, s->input, n);
        for (; n < s->spec.name_bytes; n++) text_bytes(t, "", 1);
    }
    text_bytes(t, (const char *)side, sizeof side);
    for (int i = 0; i < s->spec.stats_n; i++) {
        bool is_sum = s->spec.stats[i] == STAT_SUM;
        text_bytes(t, is_sum ? (const char *)sums : (const char *)means, sizeof(double) * (size_t)s->channels);
    }
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_csv_header(sheet *s)
{
    text_out *t = &s->text;
    if (s->spec.name_bytes > 0) text_string(t, "file,");
    text_string(t, "x,y,w,h");
    for (int i = 0; i < s->spec.stats_n; i++)
        for (int c = 0; c < s->channels; c++)
            if (s->channels == 1)
                text_printf(t, ",%s", stat_names[s->spec.stats[i]]);
            else
                text_printf(t, ",%s.%d", stat_names[s->spec.stats[i]], c);
    text_bytes(t, "\n", 1);
}

static void put_value(const sheet *s, stat_id stat, sat_sum sum, double mean, text_out *t)
{
    sat_type type = stat == STAT_MEAN ? SAT_F64 : sum_type_of(s->type);
    double value = stat == STAT_MEAN ? mean : sum.f;
    if (type == SAT_I64)
        text_int(t, sum.i);
    else if (type == SAT_U64)
        text_uint(t, sum.u);
    else if (s->spec.form == SHEET_JSON && !isfinite(value))
        text_string(t, "null");
    else
        text_real(t, value);
}

static void put_csv(sheet *s, const sat_rect *r, const sat_sum *sums, const double *means)
{
    text_out *t = &s->text;
    const int64_t side[4] = {r->x, r->y, r->width, r->height};
    char name[PRINTABLE_BYTES];
    if (s->spec.name_bytes > 0) {
        text_csv_string(t, printable_name(s->input, name));
        text_bytes(t, ",", 1);
    }
    for (int i = 0; i < 4; i++) {
        if (i > 0) text_bytes(t, ",", 1);
        text_int(t, side[i]);
    }
    for (int i = 0; i < s->spec.stats_n; i++)
        for (int c = 0; c < s->channels; c++) {
            text_bytes(t, ",", 1);
            put_value(s, s->spec.stats[i], sums[c], means[c], t);
        }
    text_bytes(t, "\n", 1);
}

static void put_json(sheet *s, const sat_rect *r, const sat_sum *sums, const double *means)
{
    text_out *t = &s->text;
    text_bytes(t, "{", 1);
    if (s->spec.name_bytes > 0) {
        text_string(t, "\"file\":");
        text_json_string(t, s->input);
        text_bytes(t, ",", 1);
    }
    text_printf(t, "\"x\":%lld,\"y\":%lld,\"w\":%lld,\"h\":%lld", (long long)r->x, (long long)r->y, (long long)r->width,
                (long long)r->height);
    for (int i = 0; i < s->spec.stats_n; i++) {
        text_printf(t, ",\"%s\":%s", stat_names[s->spec.stats[i]], s->channels > 1 ? "[" : "");
        for (int c = 0; c < s->channels; c++) {
            if (c > 0) text_bytes(t, ",", 1);
            put_value(s, s->spec.stats[i], sums[c], means[c], t);
        }
        if (s->channels > 1) text_bytes(t, "]", 1);
    }
    text_bytes(t, "}\n", 2);
}

/* ---- the sheet ------------------------------------------------------------------------------------- */

/* Columns are known when the first input is answered. */
static void put_header(sheet *s)
{
    uint8_t page[NPY_PAGE];
    if (s->header) return;
    s->header = s->channels;
    s->sum_type = sum_type_of(s->type);
    if (s->spec.form == SHEET_CSV) put_csv_header(s);
    if (s->spec.form != SHEET_NPY) return;
    npy_page(s, page);
    text_bytes(&s->text, (const char *)page, sizeof page);
    text_rewrite(&s->text, 0, page, sizeof page); /* a stream fails here, and not after all rows */
}

bool sheet_open(sheet **out, const sheet_spec *spec, error *err)
{
    sheet *s = *out = calloc(1, sizeof *s);
    if (!s) return fail(err, "out of memory");
    s->spec = *spec;
    if (text_open(&s->text, spec->output, spec->no_clobber, err)) return true;
    free(s);
    *out = NULL;
    return false;
}

bool sheet_input(sheet *s, const char *input, int channels, sat_type type, error *err)
{
    if (s->header && s->spec.form != SHEET_JSON && s->header != channels)
        return fail(err, "the files before have %d channel%s, this one %d; --json takes any", s->header,
                    s->header > 1 ? "s" : "", channels);
    if (s->header && s->spec.form == SHEET_NPY && has_sums(s) && s->sum_type != sum_type_of(type))
        return fail(err, "the sums before are of %s, these of %s; CSV and JSON take both", sat_type_name(s->sum_type),
                    sat_type_name(sum_type_of(type)));
    s->input = input;
    s->channels = channels;
    s->type = type;
    return true;
}

void sheet_rows(sheet *s, const sat_rect *rects, size_t n, const sat_sum *sums, const double *means)
{
    put_header(s);
    s->rows += n;
    for (size_t i = 0, c = (size_t)s->channels; i < n; i++) switch (s->spec.form) {
        case SHEET_CSV: put_csv(s, &rects[i], sums + i * c, means + i * c); break;
        case SHEET_JSON: put_json(s, &rects[i], sums + i * c, means + i * c); break;
        case SHEET_NPY: put_record(s, &rects[i], sums + i * c, means + i * c); break;
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

bool sheet_close(sheet **out, error *err)
{
    sheet *s = *out;
    uint8_t page[NPY_PAGE];
    if (s->header && s->spec.form == SHEET_NPY) {
        npy_page(s, page);
        text_rewrite(&s->text, 0, page, sizeof page);
    }
    bool ok = text_close(&s->text, err);
    free(s);
    *out = NULL;
    return ok;
}

void sheet_abort(sheet **out)
{
    if (!*out) return;
    text_abort(&(*out)->text);
    free(*out);
    *out = NULL;
}
