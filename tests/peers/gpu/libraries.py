"""The other libraries: each answers a job with (run, result), a function that queues or does the work into memory that
is there already, and one that fetches what it made; or None if it has nothing of the kind.  A library that is not
installed raises ImportError or OSError when it is made.

box_off_by: how far means may lie from NumPy's, by the samples' type.  box_cuts: windows are cut at the edge, as ours;
else its pixels are repeated."""
import ctypes

import numpy as np

import arrays

FLOATS_OFF_BY = {"float32": 1e-4, "float64": 1e-12}  # sums of up to 255 x 255 fractions in the samples' type


class CuPy:
    name, device = "cupy", True

    def __init__(self):
        import cupy
        import cupyx.scipy.ndimage
        self.cupy, self.ndimage = cupy, cupyx.scipy.ndimage
        cupy.cuda.runtime.getDeviceProperties(0)  # is there a device?
        self.version = cupy.__version__

    # for the clock, and for libraries that only compute
    def bytes(self, n):
        return self.cupy.zeros(n, self.cupy.uint8)

    def upload(self, array):
        return self.cupy.asarray(array)

    def download(self, array):
        return self.cupy.asnumpy(array)

    def address(self, array):
        return array.data.ptr

    def fill(self, array, value):
        array.fill(value)

    def l2_bytes(self):
        return self.cupy.cuda.runtime.getDeviceProperties(0).get("l2CacheSize")

    def event(self):
        return self.cupy.cuda.Event()

    def elapsed_us(self, start, end):
        end.synchronize()
        return 1e3 * self.cupy.cuda.get_elapsed_time(start, end)

    # the work
    def table(self, image, accum):
        x, dtype = self.upload(image), arrays.TYPES[accum]
        rows, out = self.cupy.empty(image.shape, dtype), self.cupy.empty(image.shape, dtype)

        def run():
            self.cupy.cumsum(x, axis=1, dtype=dtype, out=rows)
            self.cupy.cumsum(rows, axis=0, dtype=dtype, out=out)
        return run, lambda: self.download(out)

    def scan(self, samples):
        x = self.upload(samples)
        out = self.cupy.empty_like(x)
        return lambda: self.cupy.cumsum(x, dtype=x.dtype, out=out), lambda: self.download(out)

    def box(self, image, n):
        """Filters the rows, then the columns, 8-bit ones rounded down each time: may be two too small."""
        x = self.upload(image)
        out, size = self.cupy.empty_like(x), (n, n) + (1,) * (image.ndim - 2)
        return lambda: self.ndimage.uniform_filter(x, size, output=out, mode="nearest"), lambda: self.download(out)
    box_off_by, box_cuts = {"uint8": 2} | FLOATS_OFF_BY, False

    def moments(self, image, n):
        """In f32: the mean of the squares, less the square of the mean."""
        x = self.upload(image)
        out = self.cupy.empty((2,) + image.shape, self.cupy.float32)

        def run():
            real = x.astype(self.cupy.float32)
            self.ndimage.uniform_filter(real, n, output=out[0], mode="nearest")
            self.ndimage.uniform_filter(real * real, n, output=out[1], mode="nearest")
            out[1] -= out[0] * out[0]
        return run, lambda: self.download(out)


class PyTorch:
    name, device = "pytorch", True

    def __init__(self):
        import torch
        self.torch, self.version = torch, torch.__version__
        if not torch.cuda.is_available():
            raise OSError("PyTorch finds no device")

    def bytes(self, n):
        return self.torch.zeros(n, dtype=self.torch.uint8, device="cuda")

    def upload(self, array):
        return self.torch.from_numpy(array).cuda()

    def download(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def fill(self, array, value):
        array.fill_(value)

    def l2_bytes(self):
        return getattr(self.torch.cuda.get_device_properties(0), "L2_cache_size", 0)

    def event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def elapsed_us(self, start, end):
        end.synchronize()
        return 1e3 * start.elapsed_time(end)

    def signed(self, array):
        """PyTorch sums i32, not u32; the bits are the same."""
        return array.view(np.int32) if array.dtype == np.uint32 else array

    def table(self, image, accum):
        torch = self.torch
        dtype = {"u32": torch.int32, "u64": torch.int64, "f32": torch.float32, "f64": torch.float64}[accum]
        x = self.upload(self.signed(image))
        rows, out = torch.empty(x.shape, dtype=dtype, device="cuda"), torch.empty(x.shape, dtype=dtype, device="cuda")

        def run():
            torch.cumsum(x, 1, dtype=dtype, out=rows)
            torch.cumsum(rows, 0, dtype=dtype, out=out)
        return run, lambda: self.download(out).view(arrays.TYPES[accum])

    def scan(self, samples):
        x = self.upload(self.signed(samples))
        out = self.torch.empty_like(x)
        return (lambda: self.torch.cumsum(x, 0, dtype=x.dtype, out=out),
                lambda: self.download(out).view(samples.dtype))

    def box(self, image, n):
        """Float images only; their channels stay beside each other, PyTorch's "channels last".  Its output comes from
        PyTorch's own cache of memory."""
        if image.dtype.kind != "f":
            return None
        x, pool = self.upload(image), self.torch.nn.functional.avg_pool2d
        x = x[None, None] if image.ndim == 2 else x.permute(2, 0, 1)[None]
        made = []

        def run():
            made[:] = [pool(x, n, stride=1, padding=n // 2, count_include_pad=False)]

        def result():
            return self.download(made[0][0, 0] if image.ndim == 2 else made[0][0].permute(1, 2, 0))
        return run, result
    box_off_by, box_cuts = FLOATS_OFF_BY, True

    def moments(self, image, n):
        """As CuPy's."""
        x, pool = self.upload(image)[None, None], self.torch.nn.functional.avg_pool2d
        made = []

        def run():
            real = x.float()
            mean, squares = (pool(a, n, stride=1, padding=n // 2, count_include_pad=False) for a in (real, real * real))
            made[:] = [mean, squares - mean * mean]
        return run, lambda: np.stack([self.download(a[0, 0]) for a in made])


class OpenCV:
    """On the host, with as many threads as it likes."""
    name, device = "opencv", False

    def __init__(self):
        import cv2
        self.cv2, self.version = cv2, cv2.__version__

    def padded_table(self, image):
        out = np.zeros((image.shape[0] + 1, image.shape[1] + 1), np.int32)
        return lambda: self.cv2.integral(image, out, self.cv2.CV_32S), lambda: out.view(np.uint32)

    def box(self, image, n):
        out, border = np.zeros_like(image), self.cv2.BORDER_REPLICATE
        return lambda: self.cv2.blur(image, (n, n), out, (-1, -1), border), lambda: out
    box_off_by, box_cuts = {"uint8": 1} | FLOATS_OFF_BY, False

    def moments(self, image, n):
        """As CuPy's."""
        out, border = np.zeros((2,) + image.shape, np.float32), self.cv2.BORDER_REPLICATE

        def run():
            self.cv2.boxFilter(image, self.cv2.CV_32F, (n, n), out[0], borderType=border)
            self.cv2.sqrBoxFilter(image, self.cv2.CV_32F, (n, n), out[1], borderType=border)
            out[1] -= out[0] * out[0]
        return run, lambda: out


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    """NppStreamContext of versions 12 and 13."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_bytes_per_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


class NPP:
    """NVIDIA's image library, by its C interface, in the memory of another one here.  (Its tables are rows of sat.)"""
    name, device, version = "npp", True, "of the toolkit"
    REPLICATE = 2

    def __init__(self, memory):
        self.memory = memory
        if memory is None:
            raise OSError("needs CuPy or PyTorch for device memory")
        self.core = self.load("nppc")  # which the other needs
        self.filters = self.load("nppif")
        self.context = self.describe_device()
        self.run_box = self.filters.nppiFilterBoxBorder_8u_C1R_Ctx
        self.run_box.argtypes = [ctypes.c_void_p, ctypes.c_int, Size, Point, ctypes.c_void_p, ctypes.c_int, Size, Size,
                                 Point, ctypes.c_int, StreamContext]

    @staticmethod
    def load(library):
        folders = ["", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"]
        names = [f"{folder}lib{library}.so{major}" for major in (".13", ".12", "") for folder in folders]
        for name in names:
            try:
                return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                pass
        raise OSError(f"no {names[0]} here")

    def describe_device(self):
        runtime = self.load("cudart")
        attribute = runtime.cudaDeviceGetAttribute
        value = ctypes.c_int()

        def get(which):
            attribute(ctypes.byref(value), which, 0)
            return value.value
        # cudaDevAttr...: MultiProcessorCount 16, MaxThreadsPerMultiProcessor 39, MaxThreadsPerBlock 1,
        # MaxSharedMemoryPerBlock 8, ComputeCapabilityMajor 75, Minor 76
        return StreamContext(None, 0, get(16), get(39), get(1), get(8), get(75), get(76), 0, 0)

    def box(self, image, n):
        if image.dtype != np.uint8:
            return None
        x = self.memory.upload(image)
        out = self.memory.upload(np.zeros_like(image))
        height, width = image.shape
        size = Size(width, height)

        def run():
            status = self.run_box(self.memory.address(x), width, size, Point(0, 0), self.memory.address(out), width,
                                  size, Size(n, n), Point(n // 2, n // 2), self.REPLICATE,
                                  self.context)
            if status != 0:
                raise RuntimeError(f"nppiFilterBoxBorder_8u_C1R_Ctx: status {status}")
        return run, lambda: self.memory.download(out)
    box_off_by, box_cuts = {"uint8": 1}, False
