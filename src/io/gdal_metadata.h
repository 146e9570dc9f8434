/* gdal_metadata.h - GDAL_METADATA, the XML in which GDAL describes a TIFF's bands. */
#ifndef IO_GDAL_METADATA_H
#define IO_GDAL_METADATA_H

#include <stdbool.h>

#include "image.h"

/* Takes Items of statistics out of the text, in place, as they are those of the input's samples, and scales, offsets
 * and units that are not those of the samples.  only: the one band
 * that was read, from 0, whose Items become those of sample 0, and other bands' Items go too; -1: all were.  False if
 * no Item is left. */
bool gdal_metadata_keep(char *text, int only, meta_units units);

#endif
