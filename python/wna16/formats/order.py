"""ORD6: which checkpoints need activation ordering at run time, and are refused.

The order of K is static in this project: the scale of row k is row k // group,
always. A checkpoint whose rows were grouped in another order cannot be computed.
These functions decide from the configuration, before any weight is read, and then
compare a g_idx tensor, where there is one, with what the configuration says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import CheckpointError, OrderError

REMEDY = (
    "use a checkpoint with static activation ordering (GPTQ: desc_act=false; "
    'compressed-tensors: actorder="static"), or quantize it again so'
)

_STATIC_GROUPS = (
    ". static_groups = true, as here, stores the rows in their own order: set desc_act to "
    "false in the file, and every g_idx is compared with k // group instead"
)

#: Orderings that leave no trace at run time.
_STATIC = frozenset({"none", "static", "weight"})
_RUNTIME = frozenset({"group", "dynamic"})

#: Words that ask for an order of K, in any case and with any separators.
_WORDS = "desc_act|act_order|activation_order(?:ing)?|g_idx|sort_indices|is_k_full"
#: Words that do so in the name of a tensor of a layer.
_TENSOR_WORDS = rf"{_WORDS}|perm|permutation|argsort|sort|order|reorder"
#: Tensors that are compared with k // group instead (check_g_idx).
G_IDX_TENSORS = ("weight_g_idx", "g_idx")


def check_actorder(value: object, where: str) -> None:
    """compressed-tensors' `actorder`; raises OrderError if it means run-time order.

    Accepted: None, False, "static", "weight", in any case. Refused: True, "group",
    "dynamic". Anything else is a CheckpointError.
    """
    if value is None or value is False:
        return
    if value is True:
        raise OrderError(_refusal(where, "actorder = true"))
    _check_value("actorder", value, where)


def check_configuration(config: Mapping[str, Any]) -> None:
    """Every key of config.json, at any depth, that is about the order of K.

    Such a key may be null, false, "none", "static" or "weight"; desc_act may be true
    if the weights that it stands over are channelwise. Raises OrderError, or
    CheckpointError for a value that means nothing.
    """
    for where, key, value, scopes in _entries(config):
        if not _is_order_word(key, value):
            continue
        if value is None or value is False:
            continue
        if value is True:
            if _squash(key) == "descact" and _is_channelwise(scopes):
                continue
            raise OrderError(_refusal(where, f"{key} = true"))
        _check_value(key, value, where)


def check_tensor_names(names: Iterable[str], layer: str) -> None:
    """Refuses tensors of a layer that store an order, such as LAYER.perm.

    A g_idx is not judged here: it may say nothing new (check_g_idx).
    """
    prefix = f"{layer}."
    for name in sorted(names):
        own = name.removeprefix(prefix)
        if own == name or own in G_IDX_TENSORS:
            continue
        if _has_word(own, _TENSOR_WORDS):
            raise OrderError(_refusal(layer, f"tensor {name}"))


def _check_value(key: str, value: object, where: str) -> None:
    """A value of an order key that is neither null nor a boolean."""
    name = value.lower() if isinstance(value, str) else None
    if name in _RUNTIME:
        raise OrderError(_refusal(where, f"{key} = {value!r}"))
    if name not in _STATIC:
        raise CheckpointError(
            f"{where}: expected {key} to be null, false, static or weight, found "
            f"{value!r} [ORD6]"
        )


def _entries(
    config: Mapping[str, Any],
) -> Iterator[tuple[str, str, Any, tuple[Mapping[str, Any], ...]]]:
    """(where, key, value, enclosing objects from the outermost), at every depth."""
    waiting: list[tuple[str, Any, tuple[Mapping[str, Any], ...]]] = [("", config, ())]
    while waiting:
        path, node, scopes = waiting.pop()
        if isinstance(node, Mapping):
            scopes = (*scopes, node)
            for key, value in node.items():
                yield path or "config.json", key, value, scopes
                waiting.append((f"{path}.{key}" if path else key, value, scopes))
        elif isinstance(node, list):
            waiting.extend((f"{path}[{i}]", v, scopes) for i, v in enumerate(node))


def _is_channelwise(scopes: tuple[Mapping[str, Any], ...]) -> bool:
    """Whether the weights that the innermost scope speaks of have no groups.

    The nearest enclosing object that says something about groups, itself or below
    itself, decides. Nothing said means groups.
    """
    for scope in reversed(scopes):
        own = _has_groups(scope)
        said = [own] if own is not None else [
            groups
            for _, _, value, _ in _entries(scope)
            if isinstance(value, Mapping) and (groups := _has_groups(value)) is not None
        ]
        if said:
            return not any(said)
    return False


def _has_groups(scope: Mapping[str, Any]) -> bool | None:
    """What one object says about groups; None if it says nothing."""
    size = scope.get("group_size")
    if size is not None:
        return size != -1
    strategy = scope.get("strategy")
    return None if strategy is None else strategy not in ("channel", "tensor")


def _is_order_word(key: str, value: object) -> bool:
    # The name of a group or of a module may contain such a word.
    if isinstance(value, (Mapping, list)):
        return re.fullmatch(_WORDS.replace("_", ""), _squash(key)) is not None
    return _has_word(key, _WORDS)


def _has_word(name: str, words: str) -> bool:
    """Whether a name is one of the words, or has it between separators."""
    if re.fullmatch(words.replace("_", ""), _squash(name)):
        return True
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    snake = re.sub(r"[^a-z0-9]+", "_", snake)
    loose = words.replace("_", "_?")
    return re.search(rf"(?:^|_)(?:{loose})(?:_|$)", snake) is not None


def _squash(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


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
        found = f"desc_act = true with group_size = {config['group_size']}"
        raise OrderError(_refusal(where, found, _STATIC_GROUPS if _static(config) else ""))


def _static(config: Mapping[str, Any]) -> bool:
    meta = config.get("meta")
    said = (config, meta) if isinstance(meta, Mapping) else (config,)
    return any(part.get("static_groups") is True for part in said)


def check_g_idx(g_idx: np.ndarray, k: int, group: int | None, layer: str) -> None:
    """A g_idx tensor [K] must say nothing new; `group` None or -1 is channelwise.

    Trivial are: k // group for every k; all 0 when there is one group; all -1
    (never set). Raises OrderError with the layer and the first k that differs.
    """
    if g_idx.shape != (k,):
        raise CheckpointError(
            f"{layer}: expected g_idx of shape [{k}], found {list(g_idx.shape)} [ORD6]"
        )
    if g_idx.dtype.kind not in "iuf":
        raise CheckpointError(
            f"{layer}: expected g_idx of integers, found {g_idx.dtype} [ORD6]"
        )
    # Compared as stored: a conversion would hide a fraction or a NaN.
    values = g_idx
    if (values == -1).all():
        return
    step = k if group in (None, -1) else group
    wrong = np.nonzero(values != np.arange(k) // step)[0]
    if wrong.size:
        first = int(wrong[0])
        raise OrderError(
            f"{layer}: g_idx[{first}] is {values[first].item()}, expected {first // step} "
            f"(k // {step}): this layer needs group activation ordering at run time, "
            f"which is not supported; {REMEDY} [ORD6]"
        )


def _refusal(where: str, found: str, more: str = "") -> str:
    return (
        f"{where}: {found} asks for group activation ordering at run time, which is "
        f"not supported; {REMEDY}{more} [ORD6]"
    )
