"""The configuration that the compressed-tensors package writes: config groups.

It is judged first, all of it, before a weight is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import CheckpointError
from .fields import Target, object_field, says_something, string_field, targets_field
from .order import check_configuration

METHOD = "compressed-tensors"
FORMAT = "pack-quantized"
#: The format of a whole checkpoint whose groups have formats of their own.
MIXED = "mixed-precision"


@dataclass(frozen=True)
class Scheme:
    """One group of the configuration, normalised."""

    name: str
    targets: tuple[Target, ...]
    format: str
    #: The format of the whole checkpoint, if the configuration names one.
    top_format: str | None
    weights: Mapping[str, Any]
    has_activations: bool


@dataclass(frozen=True)
class QuantizationConfig:
    """The quantization part of config.json."""

    schemes: tuple[Scheme, ...]
    ignore: tuple[Target, ...]

    def ignored_by(self, layer: str) -> str | None:
        """The entry of the ignore list that matches a layer, if one does."""
        return next((t.text for t in self.ignore if t.matches(layer)), None)

    def target_of(self, layer: str) -> tuple[Scheme, str]:
        """The scheme of a linear layer, and the target that matches it.

        A name goes before a pattern, and a pattern before a class of modules. Raises
        CheckpointError if nothing matches, or two patterns of unlike groups do.
        """
        if self.ignored_by(layer) is not None:
            raise CheckpointError(
                f"{layer}: this layer is on the ignore list, so it is not quantized [CKPT5]"
            )
        every = [(scheme, target) for scheme in self.schemes for target in scheme.targets]
        names = [(s, t) for s, t in every if t.pattern is None and t.text == layer]
        patterns = [(s, t) for s, t in every if t.pattern is not None and t.matches(layer)]
        # A module's class is not in the file; of the classes that a scheme may
        # target, these are the ones with packed weights.
        classes = [(s, t) for s, t in every if t.text == "Linear"]
        for found in (names, patterns, classes):
            if not found:
                continue
            first = found[0]
            for scheme, target in found[1:]:
                if _unlike(scheme, first[0]):
                    raise CheckpointError(
                        f"{layer}: target {first[1].text!r} of config group {first[0].name} "
                        f"and target {target.text!r} of config group {scheme.name} both "
                        "match, and the groups differ; readers choose differently, so write "
                        "targets of which one matches [CKPT4]"
                    )
            return first[0], first[1].text
        raise CheckpointError(
            f"{layer}: no config group targets this layer, so it is not quantized [CKPT5]"
        )


def _unlike(a: Scheme, b: Scheme) -> bool:
    return (a.weights, a.format, a.has_activations) != (b.weights, b.format, b.has_activations)


def parse_config(config: Mapping[str, Any]) -> QuantizationConfig:
    """Reads config.json's quantization part and refuses run-time ordering (ORD6).

    Every group counts, also one that targets no layer. Raises OrderError for
    ordering, CheckpointError for a configuration of another kind.
    """
    check_configuration(config)
    quantization = quantization_part(config)
    if not isinstance(quantization, Mapping):
        raise CheckpointError(
            "config.json has no quantization_config: this checkpoint is not "
            "quantized [CKPT4]"
        )
    method = quantization.get("quant_method", METHOD)
    if method != METHOD:
        raise CheckpointError(
            f"expected quant_method {METHOD}, found {method!r} [CKPT4]"
        )
    groups = quantization.get("config_groups")
    if not isinstance(groups, Mapping) or not groups:
        raise CheckpointError("quantization_config has no config_groups [CKPT4]")
    _check_whole(quantization)
    top_format = string_field(quantization, "format", "quantization_config")
    schemes = []
    for name, group in groups.items():
        where = f"config_groups.{name}"
        if not isinstance(group, Mapping):
            raise CheckpointError(f"{where}: expected an object [CKPT4]")
        for part in ("weights", "input_activations", "output_activations"):
            arguments = object_field(group, part, where)
            if part != "weights" and arguments.get("actorder"):
                raise CheckpointError(
                    f"{where}.{part}: activations have no actorder [ORD6]"
                )
        schemes.append(
            Scheme(
                name=name,
                targets=targets_field(group, "targets", where),
                format=string_field(group, "format", where) or top_format or FORMAT,
                top_format=top_format,
                weights=object_field(group, "weights", where),
                has_activations=bool(
                    group.get("input_activations") or group.get("output_activations")
                ),
            )
        )
    return QuantizationConfig(
        tuple(schemes), targets_field(quantization, "ignore", "quantization_config")
    )


def quantization_part(config: Mapping[str, Any]) -> Any:
    """quantization_config, or compression_config as older versions call it."""
    new, old = config.get("quantization_config"), config.get("compression_config")
    if new is not None and old is not None and new != old:
        raise CheckpointError(
            "config.json has a quantization_config and another compression_config; "
            "remove the one that is not meant [CKPT4]"
        )
    return old if new is None else new


def _check_whole(quantization: Mapping[str, Any]) -> None:
    """Refuses what changes the numbers beside the codes and scales."""
    if says_something(quantization.get("transform_config")):
        raise CheckpointError(
            "quantization_config.transform_config: expected no transforms, found some; "
            "layers that need their inputs rotated are not supported; quantize again "
            "without transforms [CKPT4]"
        )
    for name in ("sparsity_config", "moe_sparsity_config"):
        sparsity = object_field(quantization, name, "quantization_config")
        if says_something(sparsity) and sparsity.get("format") != "dense":
            raise CheckpointError(
                f"quantization_config.{name}: expected format dense, found "
                f"{sparsity.get('format')!r}; sparse weights are not supported [CKPT4]"
            )
