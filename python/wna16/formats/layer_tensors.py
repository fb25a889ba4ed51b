"""From a layer's scheme and the headers of its tensors to its record.

Sizes come from the tensors, group size and width from the configuration, and both
have to agree: nothing that the configuration says is guessed from a shape.
"""

from __future__ import annotations

from ..errors import CheckpointError, DTypeError
from .checkpoint import TensorInfo, read_tensor
from .order import G_IDX_TENSORS, check_tensor_names
from .record import LayerRecord, Scheme

_SCALES = {"F16": "f16", "BF16": "bf16"}
_BIASES = {**_SCALES, "F32": "f32"}

#: compressed-tensors' tensor of the logical shape.
_SHAPE = "weight_shape"

#: Far above any layer, and far below where products of sizes leave 64 bits.
_MAX_SIZE = 1 << 30


def read_record(name: str, scheme: Scheme, tensors: tuple[TensorInfo, ...]) -> LayerRecord:
    """Checks a layer's tensors against its scheme; `tensors` are all of that module."""
    own = {t.name.removeprefix(f"{name}."): t for t in tensors}
    _check_names(name, scheme, own)
    encoding = scheme.encoding
    words = own[encoding.words]
    _expect_dtype(name, words, "I32")
    if len(words.shape) != 2 or not all(0 < size < _MAX_SIZE for size in words.shape):
        raise CheckpointError(
            f"{name}: expected {words.name} to be a matrix, found shape {list(words.shape)} "
            "[CKPT3]"
        )
    k, n = _stored_shape(name, own) if _SHAPE in own else _shape_of_words(name, scheme, words)
    _check_packing(name, scheme, words, k)
    _expect_shape(name, words, encoding.words_shape(k, n, scheme.bits))

    record = LayerRecord(
        name=name,
        format=scheme.format,
        k=k,
        n=n,
        bits=scheme.bits,
        symmetric=scheme.symmetric,
        group=scheme.group,
        scale_dtype=_dtype(name, own[encoding.scales], _SCALES),
        bias_dtype=_dtype(name, own["bias"], _BIASES) if "bias" in own else None,
        order=scheme.order + (", g_idx is k // group" if set(own) & set(G_IDX_TENSORS) else ""),
        source=scheme.source,
        tensors=tuple(sorted(tensors, key=lambda t: t.name)),
    )
    groups = record.groups
    _expect_shape(name, own[encoding.scales], encoding.scales_shape(groups, n))
    if not scheme.symmetric:
        _expect_dtype(name, own[encoding.zeros], "I32")
        zeros_shape = encoding.zeros_shape(groups, n, scheme.bits)
        _expect_shape(name, own[encoding.zeros], zeros_shape)
    if "bias" in own:
        _expect_shape(name, own["bias"], (n,))
    return record


def _check_names(name: str, scheme: Scheme, own: dict[str, TensorInfo]) -> None:
    """The tensors that have to be there are, and no others."""
    encoding = scheme.encoding
    needed = {encoding.words, encoding.scales}
    allowed = {*needed, "bias", *G_IDX_TENSORS}
    if scheme.format == "compressed-tensors":
        needed.add(_SHAPE)
    if scheme.symmetric:
        # GPTQ's writers store zero points of symmetric layers too, of any value.
        if scheme.format != "compressed-tensors":
            allowed.add(encoding.zeros)
        elif encoding.zeros in own:
            raise CheckpointError(
                f"{name}: found {name}.{encoding.zeros} in a layer that {scheme.source} "
                "calls symmetric [CKPT4]"
            )
    else:
        needed.add(encoding.zeros)
    check_tensor_names([t.name for t in own.values()], name)
    for missing in sorted(needed - own.keys()):
        raise CheckpointError(
            f"{name}: tensor {name}.{missing} is missing from the checkpoint "
            f"({scheme.source}: {'symmetric' if scheme.symmetric else 'asymmetric'}) [CKPT2]"
        )
    for unknown in sorted(own.keys() - needed - allowed):
        raise CheckpointError(
            f"{name}: unknown tensor {name}.{unknown} in a layer of format {scheme.format}; "
            "it may change what the weights mean, so it is not skipped [CKPT6]"
        )


def _shape_of_words(name: str, scheme: Scheme, words: TensorInfo) -> tuple[int, int]:
    """K and N of a format that has no tensor for them: no padding within words."""
    k, n = words.shape
    packed = k if scheme.encoding.packed_k else n
    if packed * 32 % scheme.bits:
        raise CheckpointError(
            f"{name}: expected {words.name} to hold whole codes of {scheme.bits} bits, found "
            f"{packed} words along the packed axis [CKPT3]"
        )
    codes = packed * 32 // scheme.bits
    return (codes, n) if scheme.encoding.packed_k else (k, codes)


def _stored_shape(name: str, own: dict[str, TensorInfo]) -> tuple[int, int]:
    """K and N as weight_shape says: (N, K)."""
    info = own[_SHAPE]
    if info.shape not in ((2,), (1, 2), (2, 1)) or info.dtype not in ("I64", "I32"):
        raise CheckpointError(
            f"{name}: expected weight_shape to hold the integers (N, K), found dtype "
            f"{info.dtype}, shape {list(info.shape)} [CKPT3]"
        )
    n, k = (int(v) for v in read_tensor(info.file, info.name).reshape(-1))
    if not (0 < n < _MAX_SIZE and 0 < k < _MAX_SIZE):
        raise CheckpointError(
            f"{name}: expected weight_shape to hold positive sizes (N, K), found "
            f"{[n, k]} [CKPT3]"
        )
    return k, n


def _check_packing(name: str, scheme: Scheme, words: TensorInfo, k: int) -> None:
    """Refuses 3, 5, 6 and 7 bits as older versions of compressed-tensors packed them.

    They left bits unused in every word. In small matrices both have as many words.
    """
    if scheme.format != "compressed-tensors" or 32 % scheme.bits == 0:
        return
    per_word = 32 // scheme.bits
    if k > per_word and words.shape[1] == -(-k // per_word):
        raise CheckpointError(
            f"{name}: {words.name} has {words.shape[1]} words for {k} codes of {scheme.bits} "
            f"bits, as many as older versions of the package need, which put {per_word} codes "
            "into a word; save the model again with a newer version [CKPT3]"
        )


def _expect_shape(name: str, info: TensorInfo, shape: tuple[int, ...]) -> None:
    if info.shape != shape:
        raise CheckpointError(
            f"{name}: expected {info.name} of shape {list(shape)}, found {list(info.shape)} "
            f"in {info.file.name} [CKPT3]"
        )


def _expect_dtype(name: str, info: TensorInfo, dtype: str) -> None:
    if info.dtype != dtype:
        raise DTypeError(
            f"{name}: expected {info.name} of dtype {dtype}, found {info.dtype} in "
            f"{info.file.name} [CKPT3]"
        )


def _dtype(name: str, info: TensorInfo, names: dict[str, str]) -> str:
    if info.dtype not in names:
        raise DTypeError(
            f"{name}: expected {info.name} of dtype {' or '.join(names)}, found "
            f"{info.dtype} in {info.file.name} [CKPT3]"
        )
    return names[info.dtype]
