"""Weight-only-quantized matrix products for NVIDIA GPUs, compiled on demand.

    import wna16

    layer = wna16.open("checkpoint/").layer("model.layers.0.mlp.down_proj").pack()
    kernel = wna16.compile(layer.problem)       # from the cache, if it was made before
    y = kernel(x, *layer.arrays)                # NumPy: emulator; CUDA tensors: GPU

Importing this package loads neither PyTorch nor the CUDA driver.
"""

from . import moe
from .api import Kernel, compile, default_target, load
from .errors import (
    CacheError,
    CheckpointError,
    CompileError,
    DTypeError,
    LaunchError,
    OrderError,
    ShapeError,
    TargetError,
    Wna16Error,
)
from .formats.layer import Layer, PackedLayer
from .formats.reader import QuantizedCheckpoint, open
from .formats.record import LayerRecord
from .moe_kernel import MoeKernel
from .moe_problem import MoeProblem
from .problem import Problem, Verdict, supports
from .targets import TARGETS

__version__ = "0.1.0"

__all__ = [
    "CacheError",
    "CheckpointError",
    "CompileError",
    "DTypeError",
    "Kernel",
    "LaunchError",
    "Layer",
    "LayerRecord",
    "MoeKernel",
    "MoeProblem",
    "OrderError",
    "PackedLayer",
    "Problem",
    "QuantizedCheckpoint",
    "ShapeError",
    "TARGETS",
    "TargetError",
    "Verdict",
    "Wna16Error",
    "compile",
    "default_target",
    "load",
    "moe",
    "open",
    "supports",
]
