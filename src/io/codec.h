/* codec.h - functions shared by the codecs. */
#ifndef IO_CODEC_H
#define IO_CODEC_H

#include <string.h>

#include "format.h"

extern const decode_options codec_any_size; /* for shape(): all sizes are allowed */

/* Refuses an empty image and one of more pixels than allowed.  To be called before anything is allocated. */
bool codec_size_ok(int64_t width, int64_t height, const decode_options *opt, error *err);

/* The error of a stream that continues after n bytes, more than a file of this format can need; returns false. */
bool codec_too_long(const char *format, uint64_t n, error *err);

/* The error of a format that holds other samples ("u8"); returns false. */
bool codec_cannot_hold(const char *format, const char *samples, sat_type type, error *err);

/* The error of a file or stream that continues behind the picture, which ends at this byte; returns false. */
bool codec_more_follows(uint64_t at, error *err);

/* Makes an image of u8 whose alpha is 0 in every pixel opaque, with a note: some writers declare an alpha and leave it
 * 0, and viewers show their pictures. */
void codec_opaque_if_clear(image *img);

/* Keeps a copy of a colour profile; n = 0 keeps none. */
bool codec_keep_icc(image_meta *meta, const uint8_t *icc, size_t n, error *err);

static inline void codec_progress(const io_progress *to, double part)
{
    if (to->more) to->more(to->context, part);
}

/* An image's progress is reported each time that so many of its rows are done: at most 64 times. */
static inline int64_t codec_part_rows(int64_t rows)
{
    return rows / 64 + 1;
}

/* In a loop over rows: so many are done, one more than at the last call. */
static inline void codec_rows_done(const io_progress *to, int64_t done, int64_t rows)
{
    int64_t every = codec_part_rows(rows), rest = done % every;
    if (rest == 0) codec_progress(to, (double)every / (double)rows);
    if (rest != 0 && done == rows) codec_progress(to, (double)rest / (double)rows);
}

/* Writes the image's rows, the top one first, as they lie in memory. */
bool codec_write_rows(const image *img, const io_progress *progress, sink *out, error *err);

/* Copies n samples of 1, 2, 4 or 8 bytes, with so many bytes from one to the next. */
void codec_copy_samples(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t n, size_t bytes);

/* A row of samples, those of each pixel side by side, to a row of each plane, which lie plane_bytes apart, and back. */
void codec_split_row(const image *head, const uint8_t *row, uint8_t *to, size_t plane_bytes);
void codec_join_row(const image *head, const uint8_t *from, size_t plane_bytes, uint8_t *row);

/* Packs n samples of a bilevel image, the first into the highest bit of a byte: (n + 7) / 8 bytes.  A bit is set where
 * the sample is `set`; those behind the last are 0. */
void codec_pack_bits(uint8_t *restrict bits, const uint8_t *row, size_t n, uint8_t set);

static inline int codec_threads(int most)
{
    return most > 0 ? most : sat_processors();
}

static inline uint16_t load_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint16_t load_le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}
static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)load_be16(p) << 16 | load_be16(p + 2);
}
static inline uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)load_le16(p + 2) << 16 | load_le16(p);
}

static inline void store_be16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
    store_be16(p, v >> 16);
    store_be16(p + 2, v);
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
}

/* Row y of an image. */
static inline uint8_t *image_row(const image *img, int64_t y)
{
    return (uint8_t *)img->data + (size_t)y * img->row_bytes;
}

#endif
