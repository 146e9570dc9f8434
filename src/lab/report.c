#include "report.h"

#include <string.h>

static int width_of(const report_column *c)
{
    int name = (int)strlen(c->name);
    return name > c->width ? name : c->width;
}

void report_begin(report *r)
{
    text_out *t = r->to;
    r->rows = 0;
    if (r->form == REPORT_JSON) text_string(t, "[");
    if (r->form == REPORT_CSV)
        for (int i = 0; i < r->n; i++) text_printf(t, "%s%s", r->columns[i].name, i + 1 < r->n ? "," : "\n");
    if (r->form != REPORT_MD) return;
    for (int i = 0; i < r->n; i++) {
        const report_column *c = &r->columns[i];
        text_printf(t, c->text ? "| %-*s " : "| %*s ", width_of(c), c->name);
    }
    text_string(t, "|\n");
    for (int i = 0; i < r->n; i++) {
        text_bytes(t, "|", 1);
        for (int k = 0; k <= width_of(&r->columns[i]); k++) text_bytes(t, "-", 1);
        text_bytes(t, r->columns[i].text ? "-" : ":", 1);
    }
    text_string(t, "|\n");
}

void report_row(report *r, char *const cells[])
{
    text_out *t = r->to;
    if (r->form == REPORT_JSON) text_string(t, r->rows ? ",\n {" : "\n {");
    for (int i = 0; i < r->n; i++) {
        const report_column *c = &r->columns[i];
        switch (r->form) {
        case REPORT_MD: text_printf(t, c->text ? "| %-*s " : "| %*s ", width_of(c), cells[i]); break;
        case REPORT_CSV:
            text_csv_string(t, cells[i]);
            text_string(t, i + 1 < r->n ? "," : "\n");
            break;
        case REPORT_JSON:
            text_printf(t, "%s\"%s\":", i ? "," : "", c->name);
            if (c->text)
                text_json_string(t, cells[i]);
            else
                text_string(t, *cells[i] ? cells[i] : "null");
            break;
        }
    }
    text_string(t, r->form == REPORT_MD ? "|\n" : r->form == REPORT_JSON ? "}" : "");
    r->rows++;
}

void report_end(report *r)
{
    if (r->form == REPORT_JSON) text_string(r->to, "\n]");
}
