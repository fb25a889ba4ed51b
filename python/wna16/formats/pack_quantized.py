"""Records of layers that the compressed-tensors package wrote, format pack-quantized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CheckpointError
from . import config_groups
from .config_groups import MIXED, parse_config, quantization_part
from .encoding import ENCODINGS
from .fields import bool_field, check_known, check_unset, group_field, int_field, string_field
from .record import Scheme

_TOP = frozenset(
    """
    config_groups quant_method kv_cache_scheme format quantization_status
    global_compression_ratio ignore moe_sparsity_config sparsity_config transform_config
    version compression_format run_compressed provider autoround_version meta
    """.split()
)
_GROUP = frozenset("targets weights input_activations output_activations format".split())
_WEIGHTS = frozenset(
    """
    num_bits type symmetric group_size strategy block_structure dynamic actorder
    scale_dtype zp_dtype observer observer_kwargs
    """.split()
)
_UNSUPPORTED = {
    "block_structure": "weights with scales per block are",
    "dynamic": "weights that are quantized at run time are",
    "scale_dtype": "scales that are quantized themselves are",
}


class CompressedTensorsFormat:
    """A compressed-tensors configuration, judged as a whole before any file is opened."""

    marker = "weight_packed"

    def __init__(self, config: Mapping[str, Any], where: str) -> None:
        self._where = where
        self._config = parse_config(config)
        top = quantization_part(config)
        check_known(top, _TOP, where)
        status = string_field(top, "quantization_status", where)
        if status not in (None, "compressed", "frozen"):
            raise CheckpointError(
                f"{where}.quantization_status: expected compressed, found {status!r}; save "
                "the model with save_compressed=True [CKPT4]"
            )
        for name, group in top["config_groups"].items():
            check_known(group, _GROUP, f"{where}.config_groups.{name}")
            check_known(
                group.get("weights") or {}, _WEIGHTS, f"{where}.config_groups.{name}.weights"
            )

    def scheme(self, layer: str) -> Scheme:
        group, target = self._config.target_of(layer)
        where = f"{layer}: config_groups.{group.name}"
        _check_format(group, where)
        weights = group.weights
        where += ".weights"
        check_unset(weights, _UNSUPPORTED, where)
        kind = string_field(weights, "type", where)
        if kind not in (None, "int"):
            raise CheckpointError(
                f"{where}.type: expected int, found {kind!r}; floating-point weights are "
                "not supported [CKPT4]"
            )
        allowed = ENCODINGS["compressed-tensors"].bits
        actorder = weights.get("actorder")
        return Scheme(
            format="compressed-tensors",
            bits=int_field(weights, "num_bits", where, range(min(allowed), max(allowed) + 1)),
            symmetric=bool_field(weights, "symmetric", where, True),
            group=_group_size(weights, where),
            order="no actorder" if actorder is None else f"actorder={str(actorder).lower()}",
            source=f"{self._where}, config group {group.name}, target {target!r}",
        )

    def exclusion(self, layer: str) -> str | None:
        entry = self._config.ignored_by(layer)
        return None if entry is None else f"{self._where}.ignore entry {entry!r}"


def _check_format(group: config_groups.Scheme, where: str) -> None:
    if group.format != config_groups.FORMAT:
        raise CheckpointError(
            f"{where}.format: expected {config_groups.FORMAT}, found {group.format!r}; "
            "only integer weights packed into words are read [CKPT4]"
        )
    if group.top_format not in (None, MIXED, group.format):
        raise CheckpointError(
            f"{where}.format is {group.format!r}, quantization_config.format is "
            f"{group.top_format!r}; expected the same, or {MIXED} at the top [CKPT4]"
        )
    if group.has_activations:
        raise CheckpointError(
            f"{where}: expected no input_activations and output_activations, found some; "
            "quantized activations are not supported [CKPT4]"
        )


def _group_size(weights: Mapping[str, Any], where: str) -> int:
    """-1 for one group per column; the strategy and the size must not contradict."""
    size = group_field(weights, "group_size", where)
    strategy = string_field(weights, "strategy", where)
    if strategy is None:
        # What the package takes it for: no size at all is one scale for all.
        said_nothing = weights.get("group_size") is None
        strategy = "tensor" if said_nothing else "channel" if size == -1 else "group"
    strategy = strategy.lower()
    if strategy not in ("group", "channel"):
        raise CheckpointError(
            f"{where}.strategy: expected group or channel, found {strategy!r}; quantize "
            "with one of these [CKPT4]"
        )
    if (strategy == "group") != (size != -1):
        raise CheckpointError(
            f"{where}: strategy {strategy!r} contradicts group_size = "
            f"{weights.get('group_size')!r} [CKPT4]"
        )
    return size
