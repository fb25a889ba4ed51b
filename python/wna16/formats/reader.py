"""wna16.open(): a checkpoint of any format as records, and its layers as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import CheckpointError
from .awq import AwqFormat
from .checkpoint import Checkpoint, TensorInfo, read_json, read_tensors
from .config_groups import quantization_part
from .gptq import GptqFormat
from .layer import Layer
from .layer_tensors import read_record
from .order import G_IDX_TENSORS, check_configuration, check_g_idx
from .pack_quantized import CompressedTensorsFormat
from .record import Format, LayerRecord

#: Files beside config.json in which older writers put the configuration, and whose.
_OTHER_CONFIGS = {"quantize_config.json": "gptq", "quant_config.json": "awq"}

#: What both files of a checkpoint with two have to agree on.
_DECIDING = (
    "quant_method bits group_size desc_act sym checkpoint_format format dynamic lm_head "
    "zero_point version w_bit q_group_size modules_to_not_convert is_marlin_format pack_dtype"
).split()


class QuantizedCheckpoint:
    """A checkpoint: `records` of its quantized layers, by name and in their order.

    Attributes:
        path: the folder or file that was opened.
        records: one LayerRecord per quantized layer.
        unquantized: modules with a plain weight, and why they are not among the records.
    """

    def __init__(
        self,
        path: Path,
        records: Mapping[str, LayerRecord],
        unquantized: Mapping[str, str],
    ) -> None:
        self.path = path
        self.records = MappingProxyType(dict(records))
        self.unquantized = MappingProxyType(dict(unquantized))

    def layer(self, name: str) -> Layer:
        """A layer, of which nothing is read yet; CheckpointError if there is none."""
        if not isinstance(name, str) or not name:
            raise CheckpointError(f"expected the name of a layer, found {name!r} [CKPT2]")
        if name in self.records:
            return Layer(self.records[name])
        if name in self.unquantized:
            raise CheckpointError(
                f"{name}: this layer is not quantized: {self.unquantized[name]} [CKPT5]"
            )
        shown = ", ".join(list(self.records)[:5]) + (", ..." if len(self.records) > 5 else "")
        raise CheckpointError(
            f"the checkpoint has no quantized layer {name}; it has {shown} [CKPT2]"
        )

    def __iter__(self) -> Iterator[LayerRecord]:
        return iter(self.records.values())

    def __len__(self) -> int:
        return len(self.records)

    def __str__(self) -> str:
        lines = [str(record) for record in self]
        lines += [f"{name}: not quantized: {why}" for name, why in self.unquantized.items()]
        return "\n".join(lines)


def open(path: str | Path) -> QuantizedCheckpoint:  # noqa: A001 - it is wna16.open
    """Opens a checkpoint of quantized weights: GPTQ, AWQ (gemm) or compressed-tensors.

    The whole configuration is judged first, then the headers of the files and any
    g_idx; weights are read when a layer is asked for them.

    Args:
        path: the checkpoint's folder, or one safetensors file in it.

    Raises:
        OrderError: the checkpoint needs activation ordering at run time [ORD6].
        CheckpointError: anything else that keeps a layer from being read as it was
            meant; the text names the file, the layer and the field.
        DTypeError: a tensor of another element type than the format has.
    """
    checkpoint = Checkpoint.at(path)
    try:
        format = _format(checkpoint)
    except RecursionError:
        raise CheckpointError(
            f"{checkpoint.folder}: the configuration is nested too deeply [CKPT1]"
        ) from None
    tensors = checkpoint.tensors()
    by_module: dict[str, list[TensorInfo]] = {}
    for info in tensors.values():
        by_module.setdefault(info.name.rpartition(".")[0], []).append(info)

    suffix = f".{format.marker}"
    names = [n.removesuffix(suffix) for n in tensors if n.endswith(suffix)]
    if not names:
        raise CheckpointError(
            f"{checkpoint.folder}: the configuration says {type(format).__name__}, but there "
            f"is no tensor whose name ends in {suffix} [CKPT2]"
        )
    records = {
        name: read_record(name, format.scheme(name), tuple(by_module[name])) for name in names
    }
    _check_g_idx(records)
    return QuantizedCheckpoint(Path(path), records, _unquantized(by_module, records, format))


def _format(checkpoint: Checkpoint) -> Format:
    """The judged configuration, whichever file it is in."""
    found: dict[str, Mapping[str, Any]] = {}
    main = checkpoint.folder / "config.json"
    whole: Mapping[str, Any] = {}
    if main.exists():
        whole = checkpoint.config()
        part = quantization_part(whole)
        if part is not None:
            found["config.json: quantization_config"] = _object(part, main)
    default = None
    for file, method in _OTHER_CONFIGS.items():
        if (checkpoint.folder / file).exists():
            found[file] = read_json(checkpoint.folder / file)
            default = default or method
    if not found:
        raise CheckpointError(
            f"{checkpoint.folder}: neither config.json with a quantization_config nor "
            f"{' nor '.join(_OTHER_CONFIGS)} is there: this checkpoint is not quantized [CKPT4]"
        )
    _check_agreement(found)
    (where, config), *_ = found.items()
    if "config_groups" in config:
        default = default or "compressed-tensors"
    method = config.get("quant_method", default)
    if method == "compressed-tensors":
        return CompressedTensorsFormat(whole, where)
    # Every part of config.json counts, as far as the order of K is concerned.
    check_configuration(
        {k: v for k, v in whole.items() if k not in ("quantization_config", "compression_config")}
    )
    if method == "gptq":
        return GptqFormat(config, where)
    if method == "awq":
        return AwqFormat(config, where)
    raise CheckpointError(
        f"{where}.quant_method: expected gptq, awq or compressed-tensors, found {method!r}; "
        "other formats are not read [CKPT4]"
    )


def _object(part: Any, file: Path) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        raise CheckpointError(
            f"{file}: expected quantization_config to be an object, found {part!r} [CKPT4]"
        )
    return part


def _check_agreement(found: Mapping[str, Mapping[str, Any]]) -> None:
    (first, config), *others = found.items()
    for name, other in others:
        for key in _DECIDING:
            a, b = config.get(key), other.get(key)
            if a != b and a is not None and b is not None:
                raise CheckpointError(
                    f"{first}.{key} is {a!r}, but {name} says {b!r}; remove the file that is "
                    "not meant [CKPT4]"
                )


def _check_g_idx(records: Mapping[str, LayerRecord]) -> None:
    """Every g_idx says nothing new; files are opened once each."""
    by_file: dict[Path, dict[str, LayerRecord]] = {}
    for record in records.values():
        for own in G_IDX_TENSORS:
            if (info := record.tensor(own)) is not None:
                by_file.setdefault(info.file, {})[info.name] = record
    for file, owners in by_file.items():
        for name, g_idx in read_tensors(file, owners):
            record = owners[name]
            check_g_idx(g_idx, record.k, record.group, record.name)


def _unquantized(
    by_module: Mapping[str, list[TensorInfo]],
    records: Mapping[str, LayerRecord],
    format: Format,
) -> dict[str, str]:
    """Modules with a matrix of plain numbers: linear layers, embeddings, routers."""
    result = {}
    for module, tensors in by_module.items():
        if module in records:
            continue
        weight = next((t for t in tensors if t.name == f"{module}.weight"), None)
        if weight is None or len(weight.shape) < 2:
            continue
        excluded = format.exclusion(module)
        if excluded is not None:
            result[module] = f"{excluded} excludes it"
        elif any(t.name.startswith(f"{module}.weight_scale") for t in tensors):
            result[module] = f"stored in another format, weight of dtype {weight.dtype}"
        else:
            result[module] = f"stored as a plain weight of dtype {weight.dtype}"
    return result
