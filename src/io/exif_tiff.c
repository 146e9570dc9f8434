/* exif_tiff.c - directories of Exif, copied from one TIFF structure to another, entry by entry: between byte orders,
 * from TIFF and BigTIFF, to other offsets.
 *
 *     first directory --> Exif (34665) --> interoperability (40965)
 *                     --> GPS (34853)
 *
 * Each directory is written behind its values and the directories that it points to.  What a maker's note holds are
 * bytes without a known meaning: its own offsets are not moved. */
#include "exif_tiff.h"

#include <stdlib.h>
#include <string.h>

#include "exif.h"

enum { CLASSIC = 42, BIG = 43, LONG = 4, LONG8 = 16, IFD8 = 18, TYPES = 19, ASCII = 2 };
enum { EXIF = 34665, GPS = 34853, INTEROPERABILITY = 40965, DEEPEST = 3, ENTRIES_MOST = 4096 };
enum { DESCRIPTION = 270, MAKE = 271, MODEL = 272, ARTIST = 315, COPYRIGHT = 33432 };

static const uint16_t texts[] = {DESCRIPTION, MAKE, MODEL, 305, 306, ARTIST, 316, COPYRIGHT};
static const uint16_t numbers[] = {274, 282, 283, 296}; /* orientation and resolution */

/* Bytes of a value, and of the numbers that it is made of. */
static const struct {
    uint8_t bytes, number;
} sizes[TYPES] = {{0, 0}, {1, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 4}, {1, 1}, {1, 1}, {2, 2}, {4, 4},
                  {8, 4}, {4, 4}, {8, 8}, {4, 4}, {0, 0}, {0, 0}, {8, 8}, {8, 8}, {8, 8}};

/* Bytes that were read of a file that is not in memory, until its Exif is copied. */
typedef struct part {
    struct part *next;
    uint8_t bytes[];
} part;

typedef struct reader {
    byte_reader *in;
    bool last_first, big; /* byte order; BigTIFF */
    part *parts;
    bool failed;
    error why;
} reader;

typedef struct writer {
    uint8_t *bytes;
    size_t n, capacity;
    uint64_t base; /* where they begin in the file */
    bool big, failed;
} writer;

typedef struct entry {
    unsigned tag, type;
    uint64_t count;
    const uint8_t *place; /* of the values, or of their offset */
} entry;

/* ---- reading ------------------------------------------------------------------------------------------ */

static uint64_t number_at(const reader *r, const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[r->last_first ? i : bytes - 1 - i] << 8 * i;
    return value;
}

/* n bytes of the file; NULL if it has not so many, or failed. */
static const uint8_t *bytes_at(reader *r, uint64_t at, uint64_t n)
{
    const uint8_t *held = reader_held(r->in, at, n);
    if (held || r->failed || at > r->in->length || n > r->in->length - at) return held;
    part *p = malloc(sizeof *p + (size_t)n);
    if (!p) fail_memory(&r->why, "out of memory: the EXIF of a TIFF");
    if (!p || !reader_read(r->in, at, p->bytes, (size_t)n, &r->why)) {
        r->failed = true;
        free(p);
        return NULL;
    }
    p->next = r->parts;
    r->parts = p;
    return p->bytes;
}

static void free_parts(reader *r)
{
    for (part *next; r->parts; r->parts = next) {
        next = r->parts->next;
        free(r->parts);
    }
}

static bool read_header(reader *r, byte_reader *in)
{
    *r = (reader){.in = in};
    const uint8_t *bytes = bytes_at(r, 0, 8);
    if (!bytes || bytes[0] != bytes[1] || (bytes[0] != 'I' && bytes[0] != 'M')) return false;
    r->last_first = bytes[0] == 'I';
    const uint64_t version = number_at(r, bytes + 2, 2);
    r->big = version == BIG;
    return version == CLASSIC || r->big;
}

/* The entries of a directory: fewer where the file ends within it. */
static uint64_t entries_of(reader *r, uint64_t at, const uint8_t **first)
{
    const unsigned head = r->big ? 8 : 2, each = r->big ? 20 : 12;
    const uint8_t *count = bytes_at(r, at, head);
    if (!count) return 0;
    const uint64_t said = number_at(r, count, head), fit = (r->in->length - at - head) / each,
                   n = said > ENTRIES_MOST ? 0
                       : said < fit        ? said
                                           : fit;
    *first = bytes_at(r, at + head, n * each);
    return *first ? n : 0;
}

/* Of a type that is known, with values that lie in the file. */
static bool read_entry(const reader *r, const uint8_t *at, entry *e)
{
    const unsigned room = r->big ? 8 : 4;
    *e = (entry){.tag = (unsigned)number_at(r, at, 2), .type = (unsigned)number_at(r, at + 2, 2)};
    e->count = number_at(r, at + 4, room);
    e->place = at + 4 + room;
    if (e->type >= TYPES || !sizes[e->type].bytes || e->count == 0 || e->count > META_MOST_BYTES) return false;
    const uint64_t bytes = e->count * sizes[e->type].bytes, length = r->in->length;
    if (bytes <= room) return true;
    const uint64_t where = number_at(r, e->place, room);
    return where <= length && bytes <= length - where;
}

/* NULL if the file failed. */
static const uint8_t *values_of(reader *r, const entry *e)
{
    const uint64_t bytes = e->count * sizes[e->type].bytes;
    const unsigned room = r->big ? 8 : 4;
    return bytes <= room ? e->place : bytes_at(r, number_at(r, e->place, room), bytes);
}

static bool is_pointer(const entry *e)
{
    return (e->tag == EXIF || e->tag == GPS || e->tag == INTEROPERABILITY) && e->count == 1 &&
           sizes[e->type].number >= 4;
}

/* Is it text that programs write for themselves, about pages that there are no more? */
static bool is_of_program(reader *r, const entry *e)
{
    static const char *const words[] = {"<", "{", "ImageJ="};
    const uint8_t *values = e->tag == DESCRIPTION ? values_of(r, e) : NULL;
    bool found = false;
    for (size_t i = 0; values && i < sizeof words / sizeof *words; i++)
        found = found || (e->count > strlen(words[i]) && memcmp(values, words[i], strlen(words[i])) == 0);
    return found;
}

static bool is_of_camera(reader *r, const entry *e)
{
    const unsigned tag = e->tag;
    bool found = tag == EXIF || tag == GPS;
    if (is_of_program(r, e)) return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) found = found || texts[i] == tag;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) found = found || numbers[i] == tag;
    return found;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* n bytes more; NULL, once and for all, where there is no memory, or more than a kind of metadata may have. */
static uint8_t *room_for(writer *w, size_t n)
{
    if (w->n + n > META_MOST_BYTES) w->failed = true;
    if (!w->failed && w->n + n > w->capacity) {
        const size_t capacity = 2 * (w->n + n);
        uint8_t *grown = realloc(w->bytes, capacity);
        w->failed = !grown;
        if (grown) w->bytes = grown, w->capacity = capacity;
    }
    if (w->failed) return NULL;
    w->n += n;
    return w->bytes + w->n - n;
}

/* A number in the order of this machine. */
static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
    const bool last_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (unsigned i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * (last_first ? i : bytes - 1 - i));
}

static void put_values(uint8_t *to, reader *r, const entry *e)
{
    const unsigned size = sizes[e->type].number;
    const uint64_t n = e->count * sizes[e->type].bytes / size;
    const uint8_t *values = values_of(r, e);
    for (uint64_t i = 0; values && i < n; i++) put(to + i * size, number_at(r, values + i * size, size), size);
}

/* Where what is written next begins, at an even byte of the file. */
static uint64_t even(writer *w)
{
    uint8_t *zero = w->n % 2 ? room_for(w, 1) : NULL;
    if (zero) *zero = 0;
    return w->base + w->n;
}

static uint64_t copy_directory(reader *r, uint64_t at, int depth, writer *w);

/* The entry of a directory that is written; false: it is left out. */
static bool put_entry(reader *r, const entry *e, int depth, writer *w, uint8_t *to)
{
    const unsigned room = w->big ? 8 : 4, bytes = is_pointer(e) ? 0 : sizes[e->type].bytes;
    const uint64_t all = e->count * bytes;
    uint64_t where = 0;
    memset(to, 0, w->big ? 20 : 12);
    if (is_pointer(e)) {
        where = depth < DEEPEST ? copy_directory(r, number_at(r, e->place, sizes[e->type].bytes), depth + 1, w) : 0;
        if (where == 0) return false;
    } else if (e->type >= LONG8 && !w->big) {
        return false;
    } else if (all <= room) {
        put_values(to + 4 + room, r, e);
    } else {
        where = even(w);
        uint8_t *values = room_for(w, (size_t)all);
        if (!values) return false;
        put_values(values, r, e);
    }
    put(to, e->tag, 2);
    put(to + 2, !is_pointer(e) ? e->type : w->big ? IFD8 : LONG, 2);
    put(to + 4, e->count, room);
    if (where) put(to + 4 + room, where, room);
    return true;
}

/* Its place in the file that is written; 0: nothing of it is. */
static uint64_t copy_directory(reader *r, uint64_t at, int depth, writer *w)
{
    const unsigned head = w->big ? 8 : 2, each = w->big ? 20 : 12, next = w->big ? 8 : 4;
    const uint8_t *from = NULL;
    const uint64_t n = entries_of(r, at, &from);
    uint8_t *entries = malloc((size_t)(n + 1) * each), *to = NULL;
    uint64_t kept = 0, where = 0;
    w->failed = w->failed || !entries;
    for (uint64_t i = 0; i < n && !w->failed; i++) {
        entry e;
        if (read_entry(r, from + i * (r->big ? 20 : 12), &e) && (depth > 0 || is_of_camera(r, &e)) &&
            put_entry(r, &e, depth, w, entries + kept * each))
            kept++;
    }
    if (kept > 0) where = even(w);
    if (kept > 0) to = room_for(w, head + (size_t)kept * each + next);
    if (to) {
        put(to, kept, head);
        memcpy(to + head, entries, (size_t)kept * each);
        memset(to + head + kept * each, 0, next); /* no next one */
    }
    free(entries);
    return to ? where : 0;
}

/* The directory that the one at `at` points to; 0: none. */
static uint64_t pointed_to(reader *r, uint64_t at, unsigned tag)
{
    const uint8_t *from = NULL;
    const uint64_t n = entries_of(r, at, &from);
    entry e;
    for (uint64_t i = 0; i < n; i++)
        if (read_entry(r, from + i * (r->big ? 20 : 12), &e) && e.tag == tag && is_pointer(&e))
            return number_at(r, e.place, sizes[e.type].bytes);
    return 0;
}

/* Does the directory name a camera or an author, or point to more about a picture? */
static bool has_exif(reader *r, uint64_t at)
{
    const uint8_t *from = NULL;
    const uint64_t n = entries_of(r, at, &from);
    bool found = pointed_to(r, at, EXIF) || pointed_to(r, at, GPS);
    entry e;
    for (uint64_t i = 0; i < n && !found; i++)
        found = read_entry(r, from + i * (r->big ? 20 : 12), &e) && e.type == ASCII &&
                (e.tag == MAKE || e.tag == MODEL || e.tag == ARTIST || e.tag == COPYRIGHT);
    return found;
}

bool exif_from_tiff(image_meta *meta, byte_reader *file, uint64_t directory, error *err)
{
    enum { HEADER = 8 };
    reader r;
    writer w = {.big = false};
    uint64_t first = 0;
    if (read_header(&r, file) && has_exif(&r, directory)) {
        uint8_t *header = room_for(&w, HEADER);
        if (header) memcpy(header, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "II" : "MM", 2);
        if (header) put(header + 2, CLASSIC, 2);
        first = copy_directory(&r, directory, 0, &w);
        if (first) put(w.bytes + 4, first, 4);
    }
    if (r.failed) *err = r.why;
    const bool ok = !r.failed && (!first || exif_keep(meta, w.bytes, w.n, err));
    free_parts(&r);
    free(w.bytes);
    return ok;
}

bool exif_for_tiff(const meta_block *block, bool big, uint64_t at, exif_parts *parts, error *err)
{
    reader r;
    writer w = {.base = at, .big = big};
    *parts = (exif_parts){.bytes = NULL};
    byte_reader in = reader_of_memory(block->bytes, block->n);
    if (!block->bytes || !read_header(&r, &in) || r.big) return true;
    const uint64_t first = number_at(&r, block->bytes + 4, 4), exif = pointed_to(&r, first, EXIF),
                   gps = pointed_to(&r, first, GPS);
    if (exif) parts->exif = copy_directory(&r, exif, 1, &w);
    if (gps) parts->gps = copy_directory(&r, gps, 1, &w);
    parts->bytes = w.bytes;
    parts->n = w.n;
    return !w.failed || fail(err, "out of memory: the EXIF of a TIFF");
}

unsigned exif_text(const meta_block *block, int i, const char **text)
{
    reader r;
    entry e;
    const uint8_t *from = NULL;
    *text = NULL;
    if (i >= (int)(sizeof texts / sizeof *texts)) return 0;
    byte_reader in = reader_of_memory(block->bytes, block->n);
    if (!block->bytes || !read_header(&r, &in) || r.big) return texts[i];
    const uint64_t n = entries_of(&r, number_at(&r, block->bytes + 4, 4), &from);
    for (uint64_t k = 0; k < n; k++)
        if (read_entry(&r, from + k * 12, &e) && e.tag == texts[i] && e.type == ASCII &&
            !values_of(&r, &e)[e.count - 1])
            *text = (const char *)values_of(&r, &e);
    return texts[i];
}
