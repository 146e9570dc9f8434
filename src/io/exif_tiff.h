/* exif_tiff.h - Exif in a TIFF file: directories that its first one points to, and texts in that. */
#ifndef IO_EXIF_TIFF_H
#define IO_EXIF_TIFF_H

#include "byte_reader.h"
#include "image.h"

/* Keeps a block, as exif_keep() does, made of what the directory at that byte of a TIFF or BigTIFF says of the camera;
 * none if it names neither that nor an author, and points to directories neither of Exif nor of GPS. */
bool exif_from_tiff(image_meta *meta, byte_reader *file, uint64_t directory, error *err);

/* Directories for a TIFF in the order of this machine. */
typedef struct exif_parts {
    uint8_t *bytes; /* malloc'd, or NULL */
    size_t n;
    uint64_t exif, gps; /* where they begin in the file; 0: there is none */
} exif_parts;

/* Those of the block, where they are to begin at byte `at` of a TIFF, which is even. */
bool exif_for_tiff(const meta_block *block, bool big, uint64_t at, exif_parts *parts, error *err);

/* The i-th tag of texts about camera, author and picture; 0 past the last.  *text: the block's, with its zero; NULL if
 * it has none. */
unsigned exif_text(const meta_block *block, int i, const char **text);

#endif
