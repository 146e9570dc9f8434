static const struct sat_box_ops { int dummy; } box_ops = {0};
