"""Anything that can be said of arrays, by Hypothesis: any shape, view, type, rectangle, window and border."""

import numpy as np
import oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sat

SETTINGS = settings(max_examples=150, deadline=None, derandomize=True, database=None)


@st.composite
def views(draw, dtypes=("uint8", "int16", "uint16", "int8", "bool", "int32")):
    """An image (H, W) as a view of a larger array: cropped, in steps, flipped, transposed."""
    dtype = draw(st.sampled_from(dtypes))
    base = draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=3, max_dims=3, min_side=1, max_side=14)))
    view = base[..., draw(st.integers(0, base.shape[2] - 1))]
    for axis in range(2):
        step = draw(st.sampled_from([1, 2, 3, -1, -2]))
        view = view[(slice(None),) * axis + (slice(None, None, step),)]
    return view.T if draw(st.booleans()) else view


@SETTINGS
@given(views(), st.data())
def test_rectangles(a, data):
    h, w = a.shape
    rects = []
    for _ in range(data.draw(st.integers(0, 5))):
        x, y = data.draw(st.integers(0, w - 1)), data.draw(st.integers(0, h - 1))
        rects.append([x, y, data.draw(st.integers(1, w - x)), data.draw(st.integers(1, h - y))])
    layout = data.draw(st.sampled_from(["padded", "inclusive"]))
    want = [a[y : y + b, x : x + r].astype(int).sum() for x, y, r, b in rects]
    means = [s / (r * b) for s, (x, y, r, b) in zip(want, rects)]
    t = sat.table(a, layout=layout)
    assert t.sum(rects).tolist() == want and t.mean(rects).tolist() == means and sat.mean(a, rects).tolist() == means


@SETTINGS
@given(
    views(),
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from(["shrink", "replicate", "reflect", "constant"]),
    st.booleans(),
)
def test_boxes(a, height, width, border, first):
    size = min(height, 2 * a.shape[0]), min(width, 2 * a.shape[1])
    got = sat.box(a, size, border, dtype=float, anchor="first" if first else "second")
    assert np.array_equal(got, oracle.mean(a, size, border, first=first))


@SETTINGS
@given(views(), st.data())
def test_masks(a, data):
    mask = data.draw(hnp.arrays(bool, a.shape))
    mask = mask[::-1].copy()[::-1] if data.draw(st.booleans()) else mask
    size = data.draw(st.integers(1, 9))
    want = oracle.mean(a, size, mask=mask)
    assert np.array_equal(sat.box(a, size, mask=mask, dtype=float), want, equal_nan=True)
    n = oracle.windows(a, size, mask=mask)[1].sum((2, 3))
    assert np.array_equal(sat.window(a, size, "count", mask=mask), n)
    t = sat.table(a, mask=mask)
    total = a[mask].astype(int).sum()
    assert t.query([0, 0, a.shape[1], a.shape[0]], ["sum", "count"]) == {"sum": total, "count": mask.sum()}


@SETTINGS
@given(
    hnp.arrays(
        st.sampled_from(["u1", "<f4", ">i2", "f2", "i8", "c8", "M8[s]", "U2", "?"]),
        hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4),
    ),
    st.one_of(st.none(), st.integers(-5, 5)),
    st.one_of(st.none(), st.integers(-5, 5)),
)
def test_anything_is_answered_or_refused(a, channel_axis, batch_axis):
    for call in [
        sat.table,
        lambda x, **k: sat.box(x, 3, **k),
        lambda x, **k: sat.mean(x, [0, 0, 1, 1], **k),
        lambda x, **k: sat.gauss(x, 1.0, **k),
        lambda x, **k: sat.threshold(x, 3, **k),
    ]:
        try:
            got = call(a, channel_axis=channel_axis, batch_axis=batch_axis)
        except (TypeError, ValueError):
            continue
        if isinstance(got, np.ndarray) and got.ndim == a.ndim:
            assert got.shape == a.shape or call is sat.mean
