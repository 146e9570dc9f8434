#!/usr/bin/env python3
"""Makes peers.npz, scipy-gauss.npz and the .npy tables beside them: what OpenCV, SciPy and scikit-image answer.

tests/check/test_peers.py compares them with the command's answers without needing those libraries.
Made with opencv-python-headless 5.0.0, scipy 1.17.1, scikit-image 0.26.0, numpy 2.4.6.
"""
import os

import cv2
import numpy as np
import scipy.ndimage
import skimage.transform

WINDOWS = [(3, 3), (4, 4), (1, 6), (15, 2), (31, 8)]  # the last is wider than one image and taller than none
LARGE = (45, 70)
CV2_BORDERS = {"reflect101": cv2.BORDER_REFLECT_101, "reflect": cv2.BORDER_REFLECT,
               "replicate": cv2.BORDER_REPLICATE, "constant:0": cv2.BORDER_CONSTANT}
SCIPY_MODES = {"reflect": "reflect", "reflect101": "mirror", "replicate": "nearest", "wrap": "wrap",
               "constant:9": "constant"}
# On both sides of where 4 sigma + 1/2 becomes the next whole number.
SIGMAS = [0.1, 0.124, 0.125, 0.3, 0.62, 0.63, 0.8, 1, 1.1, 1.12, 1.13, 1.7, 2.5, 3.2, 3.87, 3.88, 4]


def inputs():
    rng = np.random.default_rng(20261120)
    smooth = cv2.GaussianBlur(rng.random((23, 31, 3)), (0, 0), 2)
    smooth = (smooth - smooth.min()) / np.ptp(smooth)
    return {
        "rgb8": np.clip(smooth * 255 + rng.normal(0, 6, smooth.shape), 0, 255).astype(np.uint8),
        "grey8": rng.integers(0, 256, (22, 29, 1)).astype(np.uint8),
        "grey16": rng.integers(0, 65536, (19, 28, 1)).astype(np.uint16),
        "float": (rng.standard_normal((17, 26, 1)) * 100).astype(np.float32),
        "rgbfloat": (rng.standard_normal((11, 17, 3)) * 100).astype(np.float32),
        "double": rng.standard_normal((12, 19, 1)) * 100,
    }


def gaussians(here, image):
    out = {"in": image}
    for sigma in SIGMAS:
        for border, mode in SCIPY_MODES.items():
            out[f"{border}/{sigma}"] = scipy.ndimage.gaussian_filter(image, sigma, mode=mode, cval=9)
    np.savez_compressed(os.path.join(here, "scipy-gauss.npz"), **out)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    images = inputs()
    out = {f"in/{name}": image for name, image in images.items()}
    for name, image in images.items():
        flat = image[:, :, 0] if image.shape[2] == 1 else image
        for window in WINDOWS + [LARGE]:
            label = f"{window[0]}x{window[1]}"
            for border, flag in CV2_BORDERS.items():
                blurred = cv2.blur(flat, window, borderType=flag)
                out[f"opencv/{name}/{border}/{label}"] = blurred.reshape(image.shape)
                if name == "grey8":
                    mean = cv2.boxFilter(flat, cv2.CV_32F, window, borderType=flag)
                    out[f"opencv to f32/{name}/{border}/{label}"] = mean.reshape(image.shape)
            if image.shape[2] == 3:
                continue
            wide = flat.astype(np.float64)
            size = window[1], window[0]
            for border, mode in SCIPY_MODES.items():
                mean = scipy.ndimage.uniform_filter(wide, size, mode=mode, cval=9)
                out[f"scipy/{name}/{border}/{label}"] = mean[:, :, None]
            inside = scipy.ndimage.uniform_filter(np.ones_like(wide), size, mode="constant")
            mean = scipy.ndimage.uniform_filter(wide, size, mode="constant") / inside
            out[f"scipy/{name}/shrink/{label}"] = mean[:, :, None]
    np.savez_compressed(os.path.join(here, "peers.npz"), **out)
    gaussians(here, images["double"][:, :, 0])

    np.save(os.path.join(here, "opencv-s32-padded.npy"), cv2.integral(images["rgb8"]))
    np.save(os.path.join(here, "opencv-f64-padded.npy"), cv2.integral(images["grey16"][:, :, 0], sdepth=cv2.CV_64F))
    np.save(os.path.join(here, "opencv-f32-padded.npy"), cv2.integral(images["grey8"][:, :, 0], sdepth=cv2.CV_32F))
    np.save(os.path.join(here, "opencv-f32-of-f32-padded.npy"),
            cv2.integral(images["float"][:, :, 0], sdepth=cv2.CV_32F))
    np.save(os.path.join(here, "skimage-inclusive.npy"), skimage.transform.integral_image(images["grey8"][:, :, 0]))


if __name__ == "__main__":
    main()
