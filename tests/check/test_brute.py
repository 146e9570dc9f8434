#!/usr/bin/env python3
"""The brute force itself, against np.pad and pencil: an oracle that is wrong proves nothing."""
import numpy as np

from satlib import MAPS, Tap, box, round_div

PAD = {"replicate": "edge", "wrap": "wrap", "reflect": "symmetric", "reflect101": "reflect"}


def main():
    tap = Tap()
    for border, mode in PAD.items():
        problems = []
        for n in (2, 3, 4, 5, 9):
            line = np.arange(n)
            for reach in (1, 2, n - 1, n, 2 * n + 1, 5 * n):
                want = np.pad(line, reach, mode=mode)
                got = line[MAPS[border](np.arange(-reach, n + reach), n)]
                if not np.array_equal(want, got):
                    problems.append(f"n={n} reach={reach}: {got} instead of {want}")
        tap.report(f"{border} is NumPy's {mode}", problems)
        one = MAPS[border](np.arange(-3, 4), 1)
        tap.report(f"{border} of one sample is that sample", [] if not one.any() else [str(one)])

    line = np.array([10, 20, 40], np.uint8).reshape(1, 3, 1)
    by_hand = [  # border, window, value, means by hand: halves go up
        ("shrink", 3, 0, [15, 23, 30]), ("shrink", 2, 0, [10, 15, 30]), ("constant", 3, 2, [11, 23, 21]),
        ("replicate", 3, 0, [13, 23, 33]), ("wrap", 3, 0, [23, 23, 23]), ("reflect", 5, 0, [20, 24, 26]),
        ("reflect101", 5, 0, [26, 22, 20]), ("reflect101", 4, 0, [23, 23, 23])]
    for border, window, value, want in by_hand:
        got = box(line, window, 1, border, value)[0, :, 0].tolist()
        tap.report(f"{border}, {window} wide, by hand", [] if got == want else [f"{got} instead of {want}"])

    pair = np.array([[[200, 255], [100, 0]]], np.uint8)
    got = box(pair, 2, 1, "shrink", weighted=True)[0].tolist()
    tap.report("alpha is a weight", [] if got == [[200, 255], [200, 128]] else [str(got)])
    halves = [int(round_div(a, 2)) for a in (0, 1, 2, 3)]
    tap.report("halves are rounded up", [] if halves == [0, 1, 1, 2] else [str(halves)])
    tap.finish()


if __name__ == "__main__":
    main()
