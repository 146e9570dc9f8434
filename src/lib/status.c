/* status.c - what went wrong, as a sentence and in detail. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "c_numbers.h"
#include "status.h"

#define STRING(x)        #x
#define VERSION(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

static _Thread_local char detail[SAT_DETAIL_BYTES];

const char *sat_version(void)
{
    return VERSION(SAT_VERSION_MAJOR, SAT_VERSION_MINOR, SAT_VERSION_PATCH);
}

const char *sat_status_text(sat_status status)
{
    switch (status) {
    case SAT_OK: return "success";
    case SAT_ERR_ARGUMENT: return "an argument is missing or out of range";
    case SAT_ERR_SHAPE: return "a shape is out of range, overflows, or does not fit another";
    case SAT_ERR_TYPE: return "no such type of samples, sums or results, or they do not go together";
    case SAT_ERR_RANGE: return "the sums cannot be proven to hold the answer, or a sample is out of range";
    case SAT_ERR_RECT: return "a rectangle is empty or reaches outside the image";
    case SAT_ERR_MEMORY: return "out of memory";
    case SAT_ERR_UNAVAILABLE: return "no such backend, or it cannot do this job here";
    case SAT_ERR_DEVICE: return "the device reported an error";
    case SAT_ERR_FILE: return "a file cannot be read or written, or is broken";
    case SAT_ERR_CANCELLED: return "the caller ended the run";
    }
    return "unknown status";
}

const char *sat_detail(void)
{
    return detail;
}

void sat_set_detail(const char *text)
{
    snprintf(detail, sizeof detail, "%s", text ? text : "");
}

sat_kept_detail sat_keep_detail(void)
{
    sat_kept_detail kept;
    memcpy(kept.text, detail, sizeof kept.text);
    return kept;
}

void sat_put_back_detail(const sat_kept_detail *kept)
{
    memcpy(detail, kept->text, sizeof detail);
}

sat_status sat_fail(sat_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sat_print_args(detail, sizeof detail, format, args);
    va_end(args);
    return status;
}
