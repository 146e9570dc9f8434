/* lookback_aux.cuh - what a tile does where an auxiliary block makes the prefixes: it publishes its aggregate, and one
 * of its threads waits for its exclusive prefix. */
#ifndef LOOKBACK_AUX_CUH
#define LOOKBACK_AUX_CUH

#include "lab/lookback.cuh"

namespace single_pass
{

/* A prefix op (lookback.cuh). */
template <class Sum> struct aux_prefix {
    prim::flagged_descriptor<Sum> *slot;
    uint32_t epoch;
    bool begins_row;
    Sum initial_value; /* the exclusive prefix of the row */

    PRIM_DEVICE void publish_aggregate(Sum aggregate) const
    {
        if (prim::lane_id() == 0)
            prim::publish_flagged(&slot->aggregate, aggregate, &slot->aggregate_flag,
                                  prim::tile_tag(epoch, prim::TILE_AGGREGATE));
    }
    PRIM_DEVICE Sum resolve(Sum) const
    {
        Sum prefix = initial_value;
        if (begins_row || prim::lane_id() > 0) return prefix;
        while (
            !prim::poll_flagged(&slot->prefix_flag, prim::tile_tag(epoch, prim::TILE_PREFIX), &slot->prefix, &prefix))
            prim::nanosleep(tuning::BACKOFF_NS);
        return prefix;
    }
};

} // namespace single_pass
#endif
