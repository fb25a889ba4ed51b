"""ORD6: which checkpoints need activation ordering at run time, and are refused.

The order of K is static in this project: the scale of row k is row k // group,
always. A checkpoint whose rows were grouped in another order cannot be computed.
These functions decide from the configuration, before any weight is read, and then
compare a g_idx tensor, where there is one, with what the configuration says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import CheckpointError, OrderError

REMEDY = (
    "use a checkpoint with static activation ordering (GPTQ: desc_act=false or "
    'static_groups; compressed-tensors: actorder="static"), or quantize it again so'
)

#: Orderings that leave no trace at run time.
_STATIC = frozenset({"none", "static", "weight"})
_RUNTIME = frozenset({"group", "dynamic"})


def check_actorder(value: object, where: str) -> None:
    """compressed-tensors' `actorder`; raises OrderError if it means run-time order.

    Accepted: None, False, "static", "weight", in any case. Refused: True, "group",
    "dynamic". Anything else is a CheckpointError.
    """
    if value is None or value is False:
        return
    if value is True:
        raise OrderError(_refusal(where, "actorder = true"))
    name = value.lower() if isinstance(value, str) else None
    if name in _RUNTIME:
        raise OrderError(_refusal(where, f"actorder = {value!r}"))
    if name not in _STATIC:
        raise CheckpointError(
            f"{where}: expected actorder to be null, false, static or weight, found "
            f"{value!r} [ORD6]"
        )


def check_gptq_config(config: Mapping[str, Any], where: str = "quantization_config") -> None:
    """A GPTQ configuration: desc_act and group_size, at the top and in every rule.

    A rule of `dynamic` ("+:regex" or "regex") is judged by its own values over the
    raw values of the top; "-:regex" excludes modules and is never refused.
    desc_act = true is fine with group_size = -1: one scale per column has no order.
    """
    _check_desc_act(config, where)
    rules = config.get("dynamic") or {}
    if not isinstance(rules, Mapping):
        raise CheckpointError(f"{where}: expected dynamic to be an object of rules [ORD6]")
    for pattern, rule in rules.items():
        if pattern.startswith("-:"):
            continue
        if not isinstance(rule, Mapping):
            raise CheckpointError(
                f"{where}: expected rule {pattern!r} of dynamic to be an object [ORD6]"
            )
        _check_desc_act({**config, **rule}, f"{where}, rule {pattern!r} of dynamic")


def _check_desc_act(config: Mapping[str, Any], where: str) -> None:
    desc_act = config.get("desc_act")
    if desc_act not in (None, True, False):
        raise CheckpointError(
            f"{where}: expected desc_act to be true or false, found {desc_act!r} [ORD6]"
        )
    if desc_act and config.get("group_size") not in (-1, None):
        raise OrderError(
            _refusal(where, f"desc_act = true with group_size = {config['group_size']}")
        )


def check_g_idx(g_idx: np.ndarray, k: int, group: int | None, layer: str) -> None:
    """A g_idx tensor [K] must say nothing new; `group` None or -1 is channelwise.

    Trivial are: k // group for every k; all 0 when there is one group; all -1
    (never set). Raises OrderError with the layer and the first k that differs.
    """
    if g_idx.shape != (k,):
        raise CheckpointError(
            f"{layer}: expected g_idx of shape [{k}], found {list(g_idx.shape)} [ORD6]"
        )
    values = g_idx.astype(np.int64)
    if (values == -1).all():
        return
    step = k if group in (None, -1) else group
    wrong = np.nonzero(values != np.arange(k) // step)[0]
    if wrong.size:
        first = int(wrong[0])
        raise OrderError(
            f"{layer}: g_idx[{first}] is {values[first]}, expected {first // step} "
            f"(k // {step}): this layer needs group activation ordering at run time, "
            f"which is not supported; {REMEDY} [ORD6]"
        )


def _refusal(where: str, found: str) -> str:
    return (
        f"{where}: {found} asks for group activation ordering at run time, which is "
        f"not supported; {REMEDY} [ORD6]"
    )
