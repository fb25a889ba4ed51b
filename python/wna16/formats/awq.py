"""AWQ configurations, version gemm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CheckpointError
from .fields import bool_field, check_known, check_unset, group_field, string_field, strings_field
from .order import check_configuration
from .record import Scheme

#: Fields that say how the codes were found, or how a library runs them.
_HARMLESS = frozenset(
    """
    meta backend fuse_max_seq_len do_fuse exllama_config modules_to_fuse provider
    autoround_version iters lr minmax_lr nsamples seqlen gradient_accumulate_steps
    enable_quanted_input enable_minmax_tuning low_gpu_mem_usage amp scale_dtype
    batch_size dataset enable_alg_ext
    block_name_to_quantize to_quant_block_names model_name_or_path
    """.split()
)
_READ = frozenset(
    """
    quant_method method bits w_bit group_size q_group_size zero_point version sym
    checkpoint_format format modules_to_not_convert lm_head pack_dtype dynamic adapter
    activation rotation desc_act data_type act_bits extra_config
    """.split()
)

_UNSUPPORTED = {
    "adapter": "layers with adapters are",
    "activation": "quantized activations are",
    "rotation": "layers that need their inputs rotated are",
    "dynamic": "rules for single layers of an AWQ checkpoint are",
    "extra_config": "settings of single layers in extra_config are",
}


class AwqFormat:
    """An AWQ configuration, judged as a whole before any file is opened."""

    marker = "qweight"

    def __init__(self, config: Mapping[str, Any], where: str) -> None:
        self._where = where
        check_configuration({where: config})
        check_known(config, _HARMLESS | _READ, where)
        check_unset(config, _UNSUPPORTED, where)
        for name, allowed in (
            ("version", ("gemm",)),
            ("checkpoint_format", ("gemm", "awq")),
            ("format", ("gemm", "awq")),
            ("pack_dtype", ("int32",)),
            ("data_type", ("int",)),
        ):
            found = string_field(config, name, where)
            if found is not None and found.lower() not in allowed:
                raise CheckpointError(
                    f"{where}.{name}: expected {' or '.join(allowed)}, found {found!r}; other "
                    "versions store the weights otherwise. Save the checkpoint as gemm [CKPT4]"
                )
        bits = _either(config, "bits", "w_bit", where)
        if bits != 4 or isinstance(bits, bool):
            raise CheckpointError(f"{where}.bits: expected 4, found {bits!r} [CKPT4]")
        if config.get("act_bits") not in (None, 16, 32):
            raise CheckpointError(
                f"{where}.act_bits: expected 16, found {config['act_bits']!r}; quantized "
                "activations are not supported [CKPT4]"
            )
        if not _has_zero_points(config, where):
            raise CheckpointError(
                f"{where}.zero_point: expected true, found false; AWQ's gemm version has "
                "no storage without zero points. Quantize with zero_point = true, or to "
                "compressed-tensors [CKPT4]"
            )
        size = {"group_size": _either(config, "group_size", "q_group_size", where)}
        self._scheme = Scheme(
            "awq", 4, False, group_field(size, "group_size", where), "AWQ has none", where
        )
        self._excluded = strings_field(config, "modules_to_not_convert", where)

    def scheme(self, layer: str) -> Scheme:
        excluded = self.exclusion(layer)
        if excluded is not None:
            raise CheckpointError(
                f"{layer}: has packed weights, but {excluded} excludes it [CKPT5]"
            )
        return self._scheme

    def exclusion(self, layer: str) -> str | None:
        """An entry anywhere in a name excludes it, as AutoAWQ has it."""
        for entry in self._excluded:
            if entry in layer:
                return f"{self._where}.modules_to_not_convert entry {entry!r}"
        return None


def _has_zero_points(config: Mapping[str, Any], where: str) -> bool:
    """zero_point, or what the field sym says; both have to agree."""
    said = {}
    if config.get("zero_point") is not None:
        said["zero_point"] = bool_field(config, "zero_point", where, None)
    if config.get("sym") is not None:
        said["sym"] = not bool_field(config, "sym", where, None)
    if not said:
        raise CheckpointError(f"{where}.zero_point: expected true, found nothing [CKPT4]")
    if len(set(said.values())) > 1:
        raise CheckpointError(
            f"{where}: zero_point is {config['zero_point']}, sym is {config['sym']}; one "
            "says that there are zero points, the other that there are none [CKPT4]"
        )
    return next(iter(said.values()))


def _either(config: Mapping[str, Any], new: str, old: str, where: str) -> Any:
    """A field with two names; both may be there if they agree."""
    if config.get(new) is not None and config.get(old) is not None:
        if config[new] != config[old]:
            raise CheckpointError(
                f"{where}: {new} is {config[new]!r}, {old} is {config[old]!r}; expected the "
                "same [CKPT4]"
            )
    return config.get(new) if config.get(new) is not None else config.get(old)
