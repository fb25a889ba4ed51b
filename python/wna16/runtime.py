"""libwna16rt.so through ctypes: the declarations of wna16_runtime.h, typed.

The library is loaded on first use. It needs no GPU; only the functions about
devices and kernels do.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64
from ctypes import c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path

from . import settings
from .errors import LaunchError, ShapeError

ABI = 5
#: Flags of LaunchConfig.
COOPERATIVE, DEPENDENT = 1, 2
#: Bytes of an encoded tensor map.
TENSOR_MAP_BYTES = 128
_OK, _ARGUMENT, _NO_DRIVER = 0, 1, 2
#: Where each parameter of a launch begins, as C takes it.
Offsets = ctypes.Array[c_uint32]


class _DeviceInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char * 128),
        ("compute_major", c_int32),
        ("compute_minor", c_int32),
        ("multiprocessors", c_int32),
        ("max_shared_bytes", c_int32),
    ]


class _FunctionInfo(ctypes.Structure):
    _fields_ = [
        ("registers", c_int32),
        ("local_bytes", c_int32),
        ("static_shared_bytes", c_int32),
        ("max_threads", c_int32),
    ]


class LaunchConfig(ctypes.Structure):
    """wna16_launch_config: grid, block and cluster in x, y, z order."""

    _fields_ = [
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("shared_bytes", c_uint32),
        ("flags", c_uint32),
        ("stream", c_void_p),
    ]


class TensorMapValues(ctypes.Structure):
    """wna16_tensor_map: strides are bytes, from dimension 1 on."""

    _fields_ = [
        ("address", c_uint64),
        ("dims", c_uint64 * 5),
        ("strides", c_uint64 * 4),
        ("box", c_uint32 * 5),
        ("element_strides", c_uint32 * 5),
        ("rank", c_uint32),
        ("type", c_uint32),
        ("swizzle", c_uint32),
        ("l2_promotion", c_uint32),
        ("fill_nan", c_uint32),
    ]


@dataclass(frozen=True)
class Device:
    """One CUDA device; shared memory is bytes per block."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    max_shared_bytes: int


@dataclass(frozen=True)
class FunctionInfo:
    """What the driver says about a loaded kernel, per thread and per block."""

    registers: int
    local_bytes: int
    static_shared_bytes: int
    max_threads: int


class _Storage(ctypes.Structure):
    _fields_ = [
        ("layout", c_char_p),
        ("rows", c_int64),
        ("columns", c_int64),
        ("bits", c_int32),
    ]


@dataclass(frozen=True)
class Storage:
    """One way of storing a matrix; `shape` is logical, `bits` those of an element."""

    layout: str
    shape: tuple[int, int]
    bits: int

    def _encoded(self) -> _Storage:
        return _Storage(self.layout.encode(), *self.shape, self.bits)


_SIGNATURES = {
    "wna16_driver_version": [POINTER(c_int)],
    "wna16_device_count": [POINTER(c_int)],
    "wna16_device_query": [c_int, POINTER(_DeviceInfo)],
    "wna16_stream_capturing": [c_int, c_void_p, POINTER(c_int)],
    "wna16_memory_allocate": [c_int, c_size_t, POINTER(c_uint64)],
    "wna16_memory_free": [c_int, c_uint64],
    "wna16_module_load": [c_int, c_char_p, c_size_t, POINTER(c_void_p)],
    "wna16_module_function": [c_void_p, c_char_p, c_uint32, POINTER(c_void_p)],
    "wna16_function_query": [c_void_p, POINTER(_FunctionInfo)],
    "wna16_launch": [
        c_void_p,
        POINTER(LaunchConfig),
        c_char_p,
        c_size_t,
        c_void_p,  # Offsets; a typed pointer takes longer to make
        c_uint32,
    ],
    "wna16_tensor_map_encode": [c_void_p, POINTER(TensorMapValues), c_char_p],
    "wna16_storage_bytes": [POINTER(_Storage), POINTER(c_size_t)],
    "wna16_repack": [
        POINTER(_Storage),
        c_void_p,
        c_size_t,
        POINTER(_Storage),
        c_void_p,
        c_size_t,
        c_int64,
        c_int64,
        c_int32,
    ],
}


def library_path() -> Path:
    """Where libwna16rt.so is; raises LaunchError if it is nowhere."""
    config = settings.current()
    if config.runtime is not None:
        candidates = [config.runtime]
    else:
        candidates = [settings.SOURCE_ROOT / "build" / "lib" / "libwna16rt.so"]
        if config.bin_dir is not None:
            candidates.insert(0, config.bin_dir.parent / "lib" / "libwna16rt.so")
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise LaunchError(
        f"libwna16rt.so not found at {', '.join(str(c) for c in candidates)}; build it "
        "with `make build`, or set WNA16_RUNTIME to its path"
    )


class Runtime:
    """The C functions; a failure becomes LaunchError (or ShapeError when packing)."""

    def __init__(self, path: Path) -> None:
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise LaunchError(f"cannot load {path}: {error}") from None
        found = self._library.wna16_abi_version()
        if found != ABI:
            raise LaunchError(
                f"{path} has runtime interface {found}, this package needs {ABI}; "
                "build both from the same sources"
            )
        self._library.wna16_last_error.restype = c_char_p
        self._library.wna16_module_unload.argtypes = [c_void_p]
        self._library.wna16_module_unload.restype = None
        for name, arguments in _SIGNATURES.items():
            getattr(self._library, name).argtypes = arguments

    def last_error(self) -> str:
        return self._library.wna16_last_error().decode(errors="replace")

    def _check(self, status: int) -> None:
        if status != _OK:
            code = self._library.wna16_last_driver_code()
            raise LaunchError(self.last_error(), code=code)

    def driver_version(self) -> tuple[int, int]:
        """CUDA version of the driver; raises LaunchError if there is no driver."""
        version = c_int(0)
        self._check(self._library.wna16_driver_version(byref(version)))
        return version.value // 1000, version.value % 1000 // 10

    def device_count(self) -> int:
        """Number of CUDA devices; 0 also when there is no driver."""
        count = c_int(0)
        status = self._library.wna16_device_count(byref(count))
        if status == _NO_DRIVER:
            return 0
        self._check(status)
        return count.value

    def device(self, index: int) -> Device:
        info = _DeviceInfo()
        self._check(self._library.wna16_device_query(index, byref(info)))
        return Device(
            info.name.decode(errors="replace"),
            (info.compute_major, info.compute_minor),
            info.multiprocessors,
            info.max_shared_bytes,
        )

    def stream_capturing(self, device: int, stream: int) -> bool:
        capturing = c_int(0)
        self._check(
            self._library.wna16_stream_capturing(device, stream, byref(capturing))
        )
        return bool(capturing.value)

    def allocate(self, device: int, size: int) -> int:
        """The address of `size` bytes of zeros on a device; they stay until freed."""
        address = c_uint64(0)
        self._check(self._library.wna16_memory_allocate(device, size, byref(address)))
        return address.value

    def free(self, device: int, address: int) -> None:
        """Frees what `allocate` gave; no kernel that uses it may be in flight."""
        self._check(self._library.wna16_memory_free(device, address))

    def load_module(self, device: int, image: bytes) -> int:
        """Loads a cubin or PTX; returns a handle for module_function and unload."""
        module = c_void_p()
        self._check(
            self._library.wna16_module_load(device, image, len(image), byref(module))
        )
        return module.value or 0

    def unload(self, module: int) -> None:
        self._library.wna16_module_unload(module)

    def module_function(self, module: int, name: str, shared_bytes: int) -> int:
        function = c_void_p()
        self._check(
            self._library.wna16_module_function(
                module, name.encode(), shared_bytes, byref(function)
            )
        )
        return function.value or 0

    def function_info(self, function: int) -> FunctionInfo:
        info = _FunctionInfo()
        self._check(self._library.wna16_function_query(function, byref(info)))
        return FunctionInfo(
            info.registers, info.local_bytes, info.static_shared_bytes, info.max_threads
        )

    def launch(
        self,
        function: int,
        config: LaunchConfig,
        arguments: bytes,
        offsets: Offsets,
    ) -> None:
        """Puts a launch on its stream; parameter i begins at arguments[offsets[i]]."""
        self._check(
            self._library.wna16_launch(
                function, byref(config), arguments, len(arguments), offsets, len(offsets)
            )
        )

    def encode_tensor_map(self, function: int, values: TensorMapValues) -> bytes:
        """What a launch of `function` passes; raises LaunchError naming the field."""
        encoded = ctypes.create_string_buffer(TENSOR_MAP_BYTES)
        self._check(
            self._library.wna16_tensor_map_encode(function, byref(values), encoded)
        )
        return encoded.raw

    def storage_bytes(self, storage: Storage) -> int:
        """Bytes of a matrix, in whole words; raises ShapeError if it cannot be so."""
        size = c_size_t(0)
        self._check_packing(
            self._library.wna16_storage_bytes(byref(storage._encoded()), byref(size))
        )
        return size.value

    def repack(
        self,
        source: Storage,
        source_buffer: tuple[int, int],
        target: Storage,
        target_buffer: tuple[int, int],
        shape: tuple[int, int],
        threads: int = 0,
    ) -> None:
        """Copies a matrix between storages; buffers are (address, bytes)."""
        self._check_packing(
            self._library.wna16_repack(
                byref(source._encoded()),
                *source_buffer,
                byref(target._encoded()),
                *target_buffer,
                *shape,
                threads,
            )
        )

    def _check_packing(self, status: int) -> None:
        if status == _ARGUMENT:
            raise ShapeError(self.last_error())
        self._check(status)


def parameter_offsets(places: Sequence[int]) -> Offsets:
    """To be made once and used for many launches."""
    return (c_uint32 * len(places))(*places)


@functools.cache
def _load(path: Path) -> Runtime:
    return Runtime(path)


def runtime() -> Runtime:
    """The loaded library; raises LaunchError if it cannot be found or loaded."""
    return _load(library_path())
