"""Pairs of storages that matrices are repacked between, with random contents.

Both the emulator and a GPU run them; neither knows the other's kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wna16 import device_pack
from wna16.dtypes import numpy_dtype
from wna16.pack import repack_scales, repack_weights, repack_zeros, zero_bits
from wna16.runtime import Storage

Side = tuple[str, tuple[int, int]]


@dataclass(frozen=True)
class Repacking:
    """One call of repack_weights (`kind` "weights"), repack_zeros or repack_scales."""

    kind: str
    source: Side
    target: Side
    bits: int = 4
    dtype: str = "i32"

    @property
    def storages(self) -> tuple[Storage, Storage]:
        return self._storage(self.source), self._storage(self.target)

    @property
    def name(self) -> str:
        """Of the kernel, the test and the file in a bundle."""
        return device_pack.kernel_name(*self.storages, self.dtype)

    @property
    def text(self) -> str:
        return device_pack.module_text(*self.storages, self.dtype)

    def data(self, seed: int = 0) -> np.ndarray:
        """Any words, also where no element is; scales of any bits."""
        size = device_pack.item_count(self.storages[0])
        words = np.random.default_rng(seed).integers(-(2**31), 2**31, size, np.int64)
        if self.kind == "scales":
            return words.astype(np.int16).view(numpy_dtype(self.dtype))
        return words.astype(np.int32)

    def run(self, array: object, **more: object) -> object:
        """By the package, wherever the array lies."""
        (source, stored), (target, room) = self.source, self.target
        shape = tuple(map(min, stored, room))
        options = dict(source=source, target=target, source_shape=stored, target_shape=room)
        if self.kind == "scales":
            return repack_scales(array, *shape, **options, **more)
        repack = repack_weights if self.kind == "weights" else repack_zeros
        return repack(array, *shape, bits=self.bits, **options, **more)

    def _storage(self, side: Side) -> Storage:
        layout, shape = side
        if self.kind == "scales":
            return Storage(layout, shape, 16)
        return Storage(layout, shape, zero_bits(self.bits) if layout == "marlin_zeros" else self.bits)


#: By width: whole tiles, padded and cut along K, along N, along both; partial words.
_WEIGHTS = [
    (("gptq", (96, 64)), ("marlin", (96, 64))),
    (("gptq", (96, 50)), ("marlin", (128, 128))),
    (("compressed_tensors", (64, 128)), ("marlin", (64, 128))),
    (("compressed_tensors", (70, 50)), ("marlin", (80, 64))),
    (("marlin", (80, 64)), ("compressed_tensors", (70, 50))),
    (("marlin", (112, 128)), ("gptq", (96, 100))),
    (("marlin", (32, 64)), ("marlin", (48, 128))),
    (("gptq", (32, 40)), ("compressed_tensors", (41, 40))),
    (("compressed_tensors", (33, 9)), ("gptq", (64, 11))),
]
_AWQ = [
    (("awq", (64, 64)), ("marlin", (64, 64))),
    (("awq", (37, 24)), ("marlin", (48, 64))),
    (("marlin", (48, 64)), ("awq", (37, 24))),
    (("compressed_tensors", (21, 16)), ("awq", (21, 24))),
    (("awq", (32, 16)), ("gptq", (32, 16))),
]
_ZEROS = [
    (("gptq_zeros", (3, 64)), ("marlin_zeros", (4, 64))),
    (("gptq_zeros", (5, 32)), ("marlin_zeros", (5, 128))),
    (("compressed_tensors_zeros", (3, 50)), ("marlin_zeros", (3, 64))),
    (("compressed_tensors_zeros", (7, 45)), ("gptq_zeros", (6, 64))),
    (("gptq_zeros", (6, 64)), ("compressed_tensors_zeros", (7, 45))),
]
_SCALES = [
    (("row_major", (5, 50)), ("marlin_scales", (6, 64))),
    (("row_major", (1, 200)), ("marlin_channel_scales", (1, 256))),
    (("row_major", (1, 65)), ("row_major", (1, 128))),
    (("compressed_tensors_scales", (5, 50)), ("marlin_scales", (5, 64))),
    (("marlin_scales", (4, 192)), ("compressed_tensors_scales", (3, 150))),
    (("marlin_channel_scales", (1, 96)), ("marlin_scales", (1, 128))),
]

ALL = [
    *(Repacking("weights", *pair, bits) for bits in range(1, 9) for pair in _WEIGHTS),
    *(Repacking("weights", *pair) for pair in _AWQ),
    *(Repacking("zeros", *pair, bits) for bits in range(1, 9) for pair in _ZEROS),
    *(
        Repacking("zeros", (f"awq{kind}", (5, 24)), (f"{target}_zeros", (6, 64)))
        for kind, target in (("_zeros", "marlin"), ("_zeros", "compressed_tensors"))
    ),
    *(Repacking("zeros", ("marlin_zeros", (4, 64)), ("gptq_zeros", (3, 40)), b) for b in (4, 8)),
    *(Repacking("scales", *pair, 16, dtype) for dtype in ("f16", "bf16") for pair in _SCALES),
]  # fmt: skip

#: More codes than 31 bits count: places are computed in 64 bits. Too much to emulate.
HUGE = Repacking("weights", ("compressed_tensors", (65536, 32800)), ("marlin", (65536, 32832)), 1)

#: What is timed: the layer of a checkpoint.
LARGE = Repacking("weights", ("gptq", (4096, 14336)), ("marlin", (4096, 14336)))
