"""The gallery's pictures: made up, so that their answers are known, and saved beside each other."""

from __future__ import annotations

import pathlib
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def page(seed: int = 1) -> tuple[Array, Array]:
    """A page in uneven light, uint8 (H, W), and where its ink is."""
    ink = np.zeros((240, 420), np.uint8)
    lines = [
        "A summed-area table holds at",
        "each pixel the sum of all that",
        "is above and to the left of it.",
        "F. C. Crow, 1984",
    ]
    for i, line in enumerate(lines):
        cv2.putText(ink, line, (14, 50 + 52 * i), cv2.FONT_HERSHEY_COMPLEX, 0.75, 255, 1, cv2.LINE_AA)
    y, x = np.mgrid[:240, :420]
    light = 60 + 150 * np.exp(-(((x - 110) / 190) ** 2 + ((y - 60) / 140) ** 2))
    noise = np.random.default_rng(seed).normal(0, 3, ink.shape)
    return np.clip(light * (1 - 0.55 * (ink / 255)) + noise, 0, 255).astype(np.uint8), ink > 127


def micrograph(seed: int = 2) -> tuple[Array, Array]:
    """Faint cells on an uneven background, uint16 (H, W), and their centres (n, 2) as x, y."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:256, :384].astype(np.float64)
    image = 6000 + 9000 * (x / 384) ** 2 + 3000 * np.sin(y / 80)
    centres = np.array(
        [(cx + rng.uniform(-9, 9), cy + rng.uniform(-9, 9)) for cy in range(32, 256, 48) for cx in range(32, 384, 64)]
    )
    for cx, cy in centres:
        image += 900 * np.exp(-(((x - cx) / 9) ** 2 + ((y - cy) / 7) ** 2))
    return np.clip(rng.normal(image, 250), 0, 65535).astype(np.uint16), centres


def raster(seed: int = 3) -> Array:
    """Heights in metres, float32 (H, W), -9999 where there is no data."""
    rng = np.random.default_rng(seed)
    heights = sum(
        (
            cv2.resize(rng.normal(0, 2.0**k, (256 >> k, 384 >> k)), (384, 256), interpolation=cv2.INTER_CUBIC)
            for k in range(2, 8)
        ),
        np.zeros((256, 384)),
    )
    heights = heights.astype(np.float32) + 400
    y, x = np.mgrid[:256, :384]
    heights[((x - 300) / 40) ** 2 + ((y - 70) / 30) ** 2 < 1] = -9999
    heights[:, 120:124] = -9999
    heights[rng.random(heights.shape) < 0.02] = -9999
    return heights


def grey(image: Array, low: float | None = None, high: float | None = None) -> Array:
    """An image as uint8, its range (or low to high) from black to white; NaN is red."""
    wide = image.astype(np.float64)
    low = float(np.nanmin(wide)) if low is None else low
    high = float(np.nanmax(wide)) if high is None else high
    with np.errstate(invalid="ignore"):
        scaled = np.clip((wide - low) / ((high - low) or 1) * 255, 0, 255)
    colours = np.repeat(np.where(np.isnan(scaled), 0, scaled)[..., None], 3, axis=2).astype(np.uint8)
    colours[np.isnan(wide)] = (60, 40, 200)
    return colours


def save(path: str | pathlib.Path, *images: Array) -> None:
    """Writes images of one height beside each other, as a PNG."""
    gap = np.full((images[0].shape[0], 8, 3), 255, np.uint8)
    parts = [part for image in images for part in (image, gap)][:-1]
    if not cv2.imwrite(str(path), np.concatenate(parts, axis=1), [cv2.IMWRITE_PNG_COMPRESSION, 9]):
        raise OSError(f"{path}: cannot be written")
