"""Times work as src/lab/sampler.c does: cold, each run after all caches were overwritten; warm, in groups of runs
that last long enough for the clock, behind one run. Medians, and the distance between the quartiles in percent."""
import os
import statistics
import time
from typing import NamedTuple

import numpy as np

SAMPLES, SLOW_SAMPLES = 7, 3
FLOOR_S, LIMIT_S = 0.05, 1.0  # at least so long; with SLOW_SAMPLES not longer than that
GUESS_BYTES = 64 << 20


def quartile(sorted_times, k):
    return sorted_times[k * (len(sorted_times) - 1) // 4]


class Times(NamedTuple):
    """In microseconds a run; runs: how many were timed."""
    median: float
    noise_pct: float
    least: float
    mean: float
    runs: int


class Clock:
    group_us = 100

    def sample(self, work, runs, lead_in):
        times, start = [], time.perf_counter()
        while True:
            spent = time.perf_counter() - start
            if len(times) >= SAMPLES and spent >= FLOOR_S or len(times) >= SLOW_SAMPLES and spent > LIMIT_S:
                break
            lead_in()
            times.append(self.group(work, runs) / runs)
        times.sort()
        median = statistics.median(times)
        return Times(median, 100 * (quartile(times, 3) - quartile(times, 1)) / median, times[0], statistics.mean(times),
                     runs * len(times))

    def cold(self, work):
        return self.sample(work, 1, self.scrub)

    def warm(self, work):
        self.group(work, 1)
        once = self.group(work, 1)
        return self.sample(work, 1 + int(self.group_us / once) if once < self.group_us else 1, work)


class HostClock(Clock):
    def __init__(self):
        size = GUESS_BYTES
        try:
            size = 2 * os.sysconf("SC_LEVEL3_CACHE_SIZE") or size
        except (ValueError, OSError):
            pass
        self.scrubbed, self.value = np.zeros(size, np.uint8), 0

    def scrub(self):
        self.value = (self.value + 1) % 256
        self.scrubbed.fill(self.value)

    def group(self, work, runs):
        start = time.perf_counter()
        for _ in range(runs):
            work()
        return 1e6 * (time.perf_counter() - start)


class DeviceClock(Clock):
    """Between two events on the default stream, on which all libraries here work."""
    group_us = 200

    def __init__(self, library):
        self.library, self.value = library, 0
        self.scrubbed = library.bytes(2 * (library.l2_bytes() or GUESS_BYTES))

    def scrub(self):
        self.value = (self.value + 1) % 256
        self.library.fill(self.scrubbed, self.value)

    def group(self, work, runs):
        start, end = self.library.event(), self.library.event()
        start.record()
        for _ in range(runs):
            work()
        end.record()
        return self.library.elapsed_us(start, end)
