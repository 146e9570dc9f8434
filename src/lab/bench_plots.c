#include "bench_plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

enum { GROUP_BYTES = 96 };

/* The i-th colour of a palette that the colour-blind can tell apart, over and over: Okabe and Ito, Color universal
 * design, 2008, without its yellow, which is lost on white; then darker ones. */
static const char *plot_colour(size_t i)
{
    static const char *const colours[] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                          "#7f3b08", "#053061", "#00441b", "#7b3294", "#8c6d31", "#3182bd"};
    return colours[i % (sizeof colours / sizeof *colours)];
}

/* The timed rows' different texts, in order of appearance. */
typedef struct texts {
    char (*text)[GROUP_BYTES];
    size_t n;
} texts;

static size_t place_of(const texts *t, const char *text)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->text[i], text) != 0) i++;
    return i;
}

static bool gather(texts *t, const bench_rows *rows, void (*text_of)(const bench_row *row, char *to, size_t size),
                   error *err)
{
    t->n = 0;
    t->text = calloc(rows->n + 1, sizeof *t->text);
    if (!t->text) return fail(err, "out of memory");
    for (size_t i = 0; i < rows->n; i++) {
        char text[GROUP_BYTES];
        if (!bench_row_timed(&rows->row[i])) continue;
        text_of(&rows->row[i], text, sizeof text);
        if (place_of(t, text) == t->n) memcpy(t->text[t->n++], text, sizeof text);
    }
    return t->n > 0 ? true : fail(err, "there is nothing to draw: no row has a time");
}

static void row_name(const bench_row *row, char *to, size_t size)
{
    snprintf(to, size, "%s", row->name);
}

static void put_value(FILE *to, double value)
{
    if (isnan(value))
        fputs(" ?", to);
    else
        fprintf(to, " %.6g", value);
}

static void put_setting(FILE *gnuplot, const char *what, const char *text)
{
    fprintf(gnuplot, "set %s ", what);
    plot_string(gnuplot, text);
    fputc('\n', gnuplot);
}

/* ---- bars -------------------------------------------------------------------------------------------- */

static double bar_at(const bar_chart *chart, const bench_rows *rows, const char *name, const char *group)
{
    for (size_t i = 0; i < rows->n; i++) {
        char text[GROUP_BYTES];
        const bench_row *row = &rows->row[i];
        if (!bench_row_timed(row) || strcmp(row->name, name) != 0) continue;
        chart->group_name(row, text, sizeof text);
        if (strcmp(text, group) == 0) return chart->value(row);
    }
    return NAN;
}

bool draw_bars(const bar_chart *chart, const bench_rows *rows, FILE *gnuplot, error *err)
{
    texts names = {0}, groups = {0};
    bool ok = gather(&names, rows, row_name, err) && gather(&groups, rows, chart->group_name, err);
    if (!ok) goto out;
    fputs("$bars << EOD\n", gnuplot);
    for (size_t i = 0; i < names.n; i++) {
        fprintf(gnuplot, "\"%s\"", names.text[i]);
        for (size_t g = 0; g < groups.n; g++) put_value(gnuplot, bar_at(chart, rows, names.text[i], groups.text[g]));
        fputc('\n', gnuplot);
    }
    fputs("EOD\n", gnuplot);
    put_setting(gnuplot, "title", chart->title);
    put_setting(gnuplot, "ylabel", chart->axis);
    fprintf(gnuplot, "set style data histograms\nset style histogram clustered gap 1\n"
                     "set style fill solid noborder\nset boxwidth 0.95\n"
                     "set xtics rotate by -35 noenhanced\nset key above noenhanced\n");
    if (chart->top > 0)
        fprintf(gnuplot, "set yrange [0:%g < *]\n", chart->top);
    else
        fputs("set yrange [0:*]\n", gnuplot);
    fputs("plot ", gnuplot);
    for (size_t g = 0; g < groups.n; g++) {
        fprintf(gnuplot, "%s$bars using %zu:xtic(1) linecolor rgb '%s' title ", g ? ", " : "", g + 2, plot_colour(g));
        plot_string(gnuplot, groups.text[g]);
    }
    fputc('\n', gnuplot);
out:
    free(names.text);
    free(groups.text);
    return ok;
}

/* ---- lines ------------------------------------------------------------------------------------------- */

const bench_row *first_timed(const bench_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        if (bench_row_timed(&rows->row[i])) return &rows->row[i];
    return NULL;
}

/* A line's points; returns a row of it, NULL if it has none. */
static const bench_row *put_line(const line_chart *chart, const bench_rows *rows, const bench_row *first,
                                 const char *name, size_t line, FILE *gnuplot)
{
    const bench_row *any = NULL;
    fprintf(gnuplot, "$line%zu << EOD\n", line);
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *row = &rows->row[i];
        if (!bench_row_timed(row) || !chart->belongs(rows, row, first) || strcmp(row->name, name) != 0) continue;
        fprintf(gnuplot, "%.10g %.6g\n", chart->x(row), chart->y(row));
        any = row;
    }
    fputs("EOD\n", gnuplot);
    return any;
}

int count_places(const line_chart *chart, const bench_rows *rows)
{
    const bench_row *first = first_timed(rows);
    int n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *row = &rows->row[i];
        bool seen = !bench_row_timed(row) || !chart->belongs(rows, row, first);
        for (size_t k = 0; k < i && !seen; k++) {
            const bench_row *before = &rows->row[k];
            seen = bench_row_timed(before) && chart->belongs(rows, before, first) && chart->x(before) == chart->x(row);
        }
        n += !seen;
    }
    return n;
}

bool draw_lines(const line_chart *chart, const bench_rows *rows, FILE *gnuplot, error *err)
{
    static const char *const dashes[] = {"'-'", "'.'", "'_'"};
    texts names = {0};
    size_t copies = 0, methods = 0;
    const bench_row *first = first_timed(rows), **line = NULL;
    bool ok = first ? gather(&names, rows, row_name, err) : fail(err, "there is nothing to draw: no row has a time");
    if (ok && !(line = calloc(names.n, sizeof *line))) ok = fail(err, "out of memory");
    if (!ok) goto out;
    for (size_t i = 0; i < names.n; i++) line[i] = put_line(chart, rows, first, names.text[i], i, gnuplot);
    put_setting(gnuplot, "title", chart->title);
    put_setting(gnuplot, "xlabel", chart->x_axis);
    put_setting(gnuplot, "ylabel", chart->y_axis);
    put_setting(gnuplot, "format x", chart->x_format);
    if (chart->y_log) fputs("set logscale y\n", gnuplot);
    fprintf(gnuplot, "set logscale x 2\nset yrange %s\nset key outside right top noenhanced\nplot ", chart->y_range);
    for (size_t i = 0; i < names.n; i++) {
        if (!line[i]) continue;
        fprintf(gnuplot, "%s$line%zu using 1:2 smooth unique with linespoints pointsize 0.5 linewidth 2 ",
                copies + methods ? ", " : "", i);
        if (bench_row_copies(line[i])) {
            fprintf(gnuplot, "pointtype 0 linecolor rgb '#444444' dashtype %s", dashes[copies % 3]);
            copies++;
        } else {
            fprintf(gnuplot, "pointtype %zu linecolor rgb '%s'%s", 4 + methods % 12, plot_colour(methods),
                    bench_row_peer(line[i]) ? " dashtype 2" : "");
            methods++;
        }
        fputs(" title ", gnuplot);
        plot_string(gnuplot, names.text[i]);
    }
    fputc('\n', gnuplot);
out:
    free(names.text);
    free(line);
    return ok;
}
