"""Layers written by the compressed-tensors package, format pack-quantized.

The configuration is judged first, all of it, before a weight is read; then the
layer's tensors are checked and repacked into the storage that kernels read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..dtypes import FLOAT16, dtype_name
from ..errors import CheckpointError, DTypeError, ShapeError
from ..pack import repack_scales, repack_weights
from ..problem import Problem
from .checkpoint import Checkpoint, read_tensor
from .config_groups import FORMAT, MIXED, Scheme, parse_config
from .order import G_IDX_TENSORS, check_g_idx, check_tensor_names

_ZERO_POINTS = re.compile(r"(?:^|_)(?:q?zeros?|zero_points?|zp)(?:_|$)", re.IGNORECASE)


@dataclass(frozen=True)
class PackedLayer:
    """A quantized layer in the storage that kernels read.

    Attributes:
        name: the layer's name in the checkpoint.
        problem: what wna16.compile() takes.
        w: int32 words of the codes, layout problem.layout, one-dimensional.
        s: scales of problem.dtype, layout problem.scale_layout, one-dimensional.
    """

    name: str
    problem: Problem
    w: np.ndarray
    s: np.ndarray


def check_scheme(scheme: Scheme, layer: str) -> None:
    """Raises CheckpointError unless this package has kernels for the scheme."""
    weights = scheme.weights
    group = weights.get("group_size")
    rules = [
        ("format", scheme.format, FORMAT),
        ("type", weights.get("type", "int"), "int"),
        ("num_bits", weights.get("num_bits"), 4),
        ("symmetric", weights.get("symmetric", True), True),
        ("strategy", weights.get("strategy", "group"), "group"),
        ("group_size", group, 128),
        ("dynamic", weights.get("dynamic", False), False),
        ("quantized activations", scheme.has_activations, False),
    ]
    for name, found, expected in rules:
        if found != expected:
            raise CheckpointError(
                f"{layer}: expected {name} = {expected}, found {found!r} "
                f"(config group {scheme.name}); supported are 4-bit symmetric weights "
                "in groups of 128, without quantized activations [CKPT4]"
            )
    if scheme.top_format not in (None, MIXED, scheme.format):
        raise CheckpointError(
            f"{layer}: quantization_config.format is {scheme.top_format!r}, the format "
            f"of config group {scheme.name} is {scheme.format!r}; expected the same, or "
            f"{MIXED} at the top [CKPT4]"
        )


def load_compressed_tensors(path: str | Path, layer: str) -> PackedLayer:
    """Reads one linear layer and repacks it for the kernels.

    Args:
        path: the checkpoint's folder, or one safetensors file in it.
        layer: the module's name, for example "model.layers.0.mlp.down_proj".

    Raises:
        OrderError: the checkpoint needs activation ordering at run time [ORD6].
        CheckpointError: a file is damaged, a tensor is missing or of the wrong
            shape, or the scheme is not supported; the text says which.
        DTypeError: scales that are neither float16 nor bfloat16.
    """
    if not isinstance(layer, str) or not layer:
        raise CheckpointError(f"expected the name of a layer, found {layer!r} [CKPT2]")
    checkpoint = Checkpoint.at(path)
    try:
        scheme = parse_config(checkpoint.config()).scheme_of(layer)
    except RecursionError:
        raise CheckpointError("config.json is nested too deeply [CKPT1]") from None
    check_scheme(scheme, layer)

    files = checkpoint.files()
    check_tensor_names(files, layer)
    if f"{layer}.weight_packed" not in files:
        raise CheckpointError(_unknown_layer(layer, files))
    for name in ("weight_scale", "weight_shape"):
        if f"{layer}.{name}" not in files:
            raise CheckpointError(
                f"{layer}: tensor {layer}.{name} is missing from the checkpoint [CKPT2]"
            )
    for name in sorted(files):
        own = name.removeprefix(f"{layer}.")
        if own != name and _ZERO_POINTS.search(own):
            raise CheckpointError(
                f"{layer}: found {name} in a layer that the configuration calls "
                "symmetric; asymmetric weights are not supported [CKPT4]"
            )

    def read(name: str) -> np.ndarray:
        return read_tensor(files[f"{layer}.{name}"], f"{layer}.{name}")

    shape = read("weight_shape")
    if shape.dtype.kind not in "iu" or shape.size != 2 or (shape <= 0).any():
        raise CheckpointError(
            f"{layer}: expected weight_shape to hold the integers (N, K), found "
            f"{shape.tolist()} of dtype {shape.dtype} [CKPT3]"
        )
    n, k = (int(v) for v in shape.reshape(-1))
    group = int(scheme.weights["group_size"])
    for name in G_IDX_TENSORS:
        if f"{layer}.{name}" in files:
            check_g_idx(read(name), k, group, layer)
    problem = Problem(n=n, k=k, group=group)
    try:
        problem.check()
    except ShapeError as error:
        raise ShapeError(f"{layer}: {error}") from None

    words, scales = read("weight_packed"), read("weight_scale")
    _check_tensor(layer, "weight_packed", words, (n, k // 8), np.dtype(np.int32))
    dtype = dtype_name(scales.dtype)
    if dtype not in FLOAT16:
        raise DTypeError(
            f"{layer}: expected weight_scale of dtype float16 or bfloat16, found "
            f"{scales.dtype} [CKPT3]"
        )
    _check_tensor(layer, "weight_scale", scales, (n, k // group), scales.dtype)
    if not np.isfinite(scales).all():
        raise CheckpointError(
            f"{layer}: weight_scale holds values that are not finite [CKPT3]"
        )
    return PackedLayer(
        name=layer,
        problem=replace(problem, dtype=dtype),
        w=repack_weights(words, k, n, source="compressed_tensors"),
        s=repack_scales(scales, k // group, n),
    )


def _check_tensor(
    layer: str, name: str, found: np.ndarray, shape: tuple[int, int], dtype: np.dtype
) -> None:
    if found.dtype != dtype:
        raise DTypeError(
            f"{layer}: expected {name} of dtype {dtype}, found {found.dtype} [CKPT3]"
        )
    if found.shape != shape:
        raise CheckpointError(
            f"{layer}: expected {name} of shape {list(shape)}, found "
            f"{list(found.shape)} [CKPT3]"
        )


def _unknown_layer(layer: str, files: Mapping[str, Path]) -> str:
    suffix = ".weight_packed"
    known = sorted(n.removesuffix(suffix) for n in files if n.endswith(suffix))
    shown = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    return (
        f"the checkpoint has no quantized layer {layer}; "
        + (f"it has {shown}" if known else "it has no packed layers at all")
        + " [CKPT2]"
    )
