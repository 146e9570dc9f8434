/* launch_shapes.cuh - from the B and Q that were requested to a shape that was compiled in (tuning.cuh). */
#ifndef LAUNCH_SHAPES_CUH
#define LAUNCH_SHAPES_CUH

#include "scan.cuh"
#include "table/table.cuh"
#include "tuning.cuh"

/* Calls f(shape) for the first of the shapes that is requested and takes these types. */
template <class Sample, class Sum, class Shape, class... Shapes, class F>
sat_status with_launch_shape(tuning::shapes<Shape, Shapes...>, const char *name, const scan_shape *requested, F f)
{
    constexpr bool words = std::is_same_v<Sample, uint32_t> && std::is_same_v<Sum, uint32_t>;
    if constexpr (words || !Shape::words_only)
        if ((requested->block_threads == 0 || requested->block_threads == (int)Shape::B) &&
            (requested->thread_items == 0 || requested->thread_items == (int)Shape::template Q<Sum>))
            return f(Shape());
    if constexpr (sizeof...(Shapes) > 0)
        return with_launch_shape<Sample, Sum>(tuning::shapes<Shapes...>(), name, requested, f);
    else
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: B=%d with Q=%d (0: any) was not compiled in", name,
                        requested->block_threads, requested->thread_items);
}

/* Opens a scan of one array, if one of the shapes is requested and takes its types.  A workspace depends on the sums
 * alone, so that array_open() would let other samples pass. */
template <class Shapes>
sat_status open_array_in(Shapes shapes, const scan_algorithm *algorithm, const sat_scan_spec *spec, sat_arena *arena,
                         void **state, char *note, size_t note_bytes)
{
    const scan_shape requested = {spec->block_threads, spec->thread_items, spec->naive_staging};
    sat_status status = with_scan_types(spec->sample, spec->accum, [&](auto types) {
        using types_t = decltype(types);
        using sum = typename types_t::accum;
        return with_launch_shape<typename types_t::sample, sum>(shapes, algorithm->name, &requested,
                                                                [](auto) { return SAT_OK; });
    });
    return status == SAT_OK ? array_open(algorithm, spec, arena, state, note, note_bytes) : status;
}

#endif
