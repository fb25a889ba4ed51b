"""GPTQ configurations: config.json or quantize_config.json, with `dynamic` rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import CheckpointError
from .encoding import ENCODINGS
from .fields import (
    bool_field,
    check_known,
    check_unset,
    group_field,
    int_field,
    object_field,
    string_field,
)
from .order import check_configuration, check_gptq_config
from .patterns import Pattern
from .record import Scheme

#: Fields that say how the codes were found, or how a library runs them. They change
#: nothing about what the stored numbers mean.
_HARMLESS = frozenset(
    """
    meta damp_percent damp_auto_increment static_groups true_sequential mse
    act_group_aware hyb_act model_name_or_path model_file_base_name
    modules_in_block_to_quantize module_name_preceding_first_block
    block_name_to_quantize to_quant_block_names batch_size cache_block_outputs dataset tokenizer
    use_cuda_fp16 use_exllama exllama_config max_input_length model_seqlen pad_token_id
    backend disable_exllama provider autoround_version iters lr minmax_lr nsamples
    seqlen gradient_accumulate_steps enable_quanted_input enable_minmax_tuning
    low_gpu_mem_usage low_cpu_mem_usage enable_norm_bias_tuning amp scale_dtype
    enable_alg_ext quant_lm_head offload_to_disk
    """.split()
)

#: Fields that this reader looks at.
_READ = frozenset(
    """
    quant_method method bits group_size desc_act sym lm_head checkpoint_format format
    pack_dtype dynamic is_marlin_format adapter activation rotation data_type act_bits
    extra_config
    """.split()
)

_RULE_READ = frozenset({"bits", "group_size", "desc_act", "sym"})

_UNSUPPORTED = {
    "adapter": "layers with adapters are",
    "activation": "quantized activations are",
    "rotation": "layers that need their inputs rotated are",
    "is_marlin_format": "weights in a Marlin layout instead of GPTQ's are",
    "extra_config": "settings of single layers in extra_config are",
}

_BITS = sorted(ENCODINGS["gptq"].bits)


@dataclass(frozen=True)
class _Rule:
    """One entry of `dynamic`; `scheme` is None if it excludes layers."""

    pattern: Pattern
    text: str
    scheme: Scheme | None


class GptqFormat:
    """A GPTQ configuration, judged as a whole before any file is opened."""

    marker = "qweight"

    def __init__(self, config: Mapping[str, Any], where: str) -> None:
        self._where = where
        _check_order(config, where)
        check_known(config, _HARMLESS | _READ, where)
        check_unset(config, _UNSUPPORTED, where)
        _check_constant(config, "pack_dtype", "int32", where)
        _check_constant(config, "data_type", "int", where)
        if config.get("act_bits") not in (None, 16, 32):
            raise CheckpointError(
                f"{where}.act_bits: expected 16, found {config['act_bits']!r}; quantized "
                "activations are not supported [CKPT4]"
            )
        self._format = _format(config, where)
        self._lm_head = bool_field(config, "lm_head", where, False)
        self._base = self._scheme(config, where, where)
        self._rules = [
            self._rule(config, key, rule)
            for key, rule in object_field(config, "dynamic", where).items()
        ]

    def scheme(self, layer: str) -> Scheme:
        rule = self._rule_of(layer)
        if rule is None:
            if layer.split(".")[-1] == "lm_head" and not self._lm_head:
                raise CheckpointError(
                    f"{layer}: has packed weights, but {self._where}.lm_head is not true "
                    "[CKPT5]"
                )
            return self._base
        if rule.scheme is None:
            raise CheckpointError(
                f"{layer}: has packed weights, but {rule.text} excludes it [CKPT5]"
            )
        return rule.scheme

    def exclusion(self, layer: str) -> str | None:
        rule = self._rule_of(layer)
        return rule.text if rule is not None and rule.scheme is None else None

    def _rule_of(self, layer: str) -> _Rule | None:
        """The first rule that matches decides, whether it includes or excludes."""
        return next((rule for rule in self._rules if rule.pattern.matches(layer)), None)

    def _rule(self, config: Mapping[str, Any], key: str, rule: Any) -> _Rule:
        text = f"{self._where}, rule {key!r} of dynamic"
        if key.startswith("-:"):
            return _Rule(Pattern(key[2:], text), text, None)
        if not isinstance(rule, Mapping):
            raise CheckpointError(f"{text}: expected an object, found {rule!r} [CKPT4]")
        check_known(rule, _HARMLESS | _RULE_READ | frozenset(_UNSUPPORTED), text)
        check_unset(rule, _UNSUPPORTED, text)
        # What a rule leaves out is the top's value as it stands there.
        scheme = self._scheme({**config, **rule}, text, self._where)
        return _Rule(Pattern(key.removeprefix("+:"), text), text, scheme)

    def _scheme(self, config: Mapping[str, Any], where: str, top: str) -> Scheme:
        bits = int_field(config, "bits", where, range(1, 9))
        if bits not in _BITS:
            raise CheckpointError(
                f"{where}.bits: expected one of {', '.join(map(str, _BITS))}, found {bits}; "
                "GPTQ has no common storage for other widths. Quantize with one of these, "
                "or to compressed-tensors [CKPT4]"
            )
        group = group_field(config, "group_size", where)
        symmetric = bool_field(config, "sym", where, None)
        return Scheme(
            self._format, bits, symmetric, group, _order_note(config, group, top), where
        )


def _check_order(config: Mapping[str, Any], where: str) -> None:
    """ORD6: desc_act of the top and of the rules, and every other field about order."""
    check_gptq_config(config, where)
    rest = {k: v for k, v in config.items() if k not in ("desc_act", "dynamic")}
    rules = object_field(config, "dynamic", where)
    rest["dynamic"] = {
        key: {k: v for k, v in rule.items() if k != "desc_act"}
        for key, rule in rules.items()
        if isinstance(rule, Mapping) and not key.startswith("-:")
    }
    check_configuration({where: rest})


def _order_note(config: Mapping[str, Any], group: int, top: str) -> str:
    desc_act = config.get("desc_act")
    note = "desc_act not stated" if desc_act is None else f"desc_act={str(desc_act).lower()}"
    if desc_act:
        note += ", which means nothing with one group per column"
    meta = object_field(config, "meta", top)
    for name in ("static_groups", "act_group_aware", "hyb_act"):
        if config.get(name) is True or meta.get(name) is True:
            note += f", {name}"
    return note


def _format(config: Mapping[str, Any], where: str) -> str:
    """gptq or gptq_v2: whether zero points are stored less one."""
    named = {
        name: value
        for name in ("checkpoint_format", "format")
        if (value := string_field(config, name, where)) is not None
    }
    if len(set(named.values())) > 1:
        raise CheckpointError(
            f"{where}: checkpoint_format is {named['checkpoint_format']!r}, format is "
            f"{named['format']!r}; expected the same [CKPT4]"
        )
    for name, value in named.items():
        if value not in ("gptq", "gptq_v2"):
            raise CheckpointError(
                f"{where}.{name}: expected gptq or gptq_v2, found {value!r}; save the "
                "checkpoint in one of these [CKPT4]"
            )
    return next(iter(named.values()), "gptq")


def _check_constant(config: Mapping[str, Any], name: str, expected: str, where: str) -> None:
    found = string_field(config, name, where)
    if found not in (None, expected):
        raise CheckpointError(
            f"{where}.{name}: expected {expected}, found {found!r} [CKPT4]"
        )
