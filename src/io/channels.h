/* channels.h - one channel of an image, or its luma, in place of all of them. */
#ifndef IO_CHANNELS_H
#define IO_CHANNELS_H

#include "image.h"

/* Zeroed, it is all channels. */
typedef struct channel_choice {
    bool gray;  /* colours become their luma; alpha is kept */
    int number; /* from 1: that channel alone; 0: all */
    char name;  /* 'r', 'g', 'b', 'a': the same; 0: all */
} channel_choice;

/* One of several planes is chosen as one of several channels.  Luma of Rec. ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B
 * of the samples as they are stored, integers rounded to nearest, halves away from zero; of two channels fewer, as
 * alpha stays.  A gray image stays as it is.  A colour profile, which says nothing of what is left, is dropped.  Fails
 * if the image lacks the channel, and then leaves it as it is. */
bool image_choose_channels(image *img, const channel_choice *choice, error *err);

/* Drops a colour profile: what is left are no colours. */
void image_drop_profile(image *img);

#endif
