"""ORD6: the table of accepted and refused activation orderings."""

import numpy as np
import pytest

from wna16 import CheckpointError, OrderError
from wna16.formats.config_groups import parse_config
from wna16.formats.order import check_g_idx, check_gptq_config, check_tensor_names


def gptq(**fields):
    return {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True, **fields}


@pytest.mark.parametrize(
    "config",
    [
        gptq(desc_act=False),
        gptq(),
        gptq(desc_act=True, group_size=-1),
        gptq(desc_act=True, group_size=None),
        gptq(desc_act=False, act_group_aware=True),
        gptq(desc_act=False, dynamic={"+:.*down.*": {"bits": 8}}),
        gptq(desc_act=False, dynamic={"+:.*down.*": {"desc_act": True, "group_size": -1}}),
        gptq(desc_act=False, group_size=-1, dynamic={".*": {"desc_act": True}}),
        # An excluded module is not quantized, whatever its rule says.
        gptq(desc_act=False, dynamic={"-:.*lm_head.*": {"desc_act": True}}),
    ],
)
def test_gptq_accepted(config):
    check_gptq_config(config)


@pytest.mark.parametrize(
    "config, where",
    [
        (gptq(desc_act=True), "quantization_config: desc_act"),
        (gptq(desc_act=True, group_size=32), "group_size = 32"),
        # static_groups does not remove the index from the kernel's contract.
        (gptq(desc_act=False, dynamic={"+:.*down.*": {"desc_act": True}}), "down"),
        (gptq(desc_act=False, dynamic={".*up.*": {"desc_act": True}}), "up"),
        # The raw base counts: a rule that only adds groups to a channelwise
        # desc_act = true is ordered.
        (gptq(desc_act=True, group_size=-1, dynamic={".*": {"group_size": 128}}), "rule"),
    ],
)
def test_gptq_refused(config, where):
    with pytest.raises(OrderError, match=r"group activation ordering.*\[ORD6\]") as info:
        check_gptq_config(config)
    assert where in str(info.value)
    assert "desc_act=false" in str(info.value)


@pytest.mark.parametrize("value", ["yes", 2, [True]])
def test_gptq_unknown_desc_act(value):
    with pytest.raises(CheckpointError, match="desc_act to be true or false"):
        check_gptq_config(gptq(desc_act=value))


def ct(actorder="absent", where="weights"):
    group = {
        "targets": ["Linear"],
        "weights": {"num_bits": 4, "group_size": 128, "strategy": "group"},
        "input_activations": None,
    }
    if actorder != "absent":
        group[where] = {**(group.get(where) or {}), "actorder": actorder}
    return {"quantization_config": {"config_groups": {"group_0": group}}}


@pytest.mark.parametrize(
    "value", ["absent", None, False, "static", "weight", "Static", "WEIGHT", "none"]
)
def test_actorder_accepted(value):
    parse_config(ct(value))


@pytest.mark.parametrize("value", [True, "group", "dynamic", "GROUP", "Dynamic", "gRoUp"])
def test_actorder_refused(value):
    with pytest.raises(OrderError, match=r"group activation ordering.*\[ORD6\]") as info:
        parse_config(ct(value))
    assert "config_groups.group_0.weights" in str(info.value)
    assert 'actorder="static"' in str(info.value)


@pytest.mark.parametrize("value", ["sorted", 1.5, ["group"], 1])
def test_actorder_unknown(value):
    with pytest.raises((CheckpointError, OrderError), match="ORD6"):
        parse_config(ct(value))


def test_actorder_of_activations_is_refused():
    with pytest.raises(OrderError, match="input_activations"):
        parse_config(ct("group", "input_activations"))
    with pytest.raises(CheckpointError, match="activations have no actorder"):
        parse_config(ct("static", "input_activations"))


def test_a_group_that_targets_nothing_counts():
    config = ct()
    config["quantization_config"]["config_groups"]["group_1"] = {
        "targets": ["NoSuchModule"],
        "weights": {"num_bits": 4, "actorder": "group"},
    }
    with pytest.raises(OrderError, match="group_1"):
        parse_config(config)


K = 512


@pytest.mark.parametrize(
    "values, group",
    [
        (np.arange(K) // 128, 128),
        (np.full(K, -1), 128),
        (np.zeros(K), -1),
        (np.zeros(K), None),
        (np.zeros(128), 128),
    ],
)
def test_trivial_g_idx(values, group):
    check_g_idx(values.astype(np.int32), len(values), group, "layer")


def test_g_idx_with_one_wrong_entry():
    values = (np.arange(K) // 128).astype(np.int32)
    values[300] = 3
    with pytest.raises(OrderError, match=r"layer: g_idx\[300\] is 3, expected 2 \(k // 128\)"):
        check_g_idx(values, K, 128, "layer")


def test_all_zero_g_idx_is_not_trivial_with_groups():
    with pytest.raises(OrderError, match=r"g_idx\[128\] is 0, expected 1"):
        check_g_idx(np.zeros(K, np.int32), K, 128, "layer")


def test_partly_unset_g_idx():
    values = (np.arange(K) // 128).astype(np.int32)
    values[0] = -1
    with pytest.raises(OrderError, match=r"g_idx\[0\] is -1"):
        check_g_idx(values, K, 128, "layer")


def test_g_idx_of_wrong_length():
    with pytest.raises(CheckpointError, match=r"shape \[512\], found \[8\]"):
        check_g_idx(np.zeros(8, np.int32), K, 128, "layer")


def test_g_idx_with_a_fraction_or_a_nan():
    with pytest.raises(OrderError, match=r"g_idx\[0\] is 0.5, expected 0"):
        check_g_idx((np.arange(K) // 128 + 0.5).astype(np.float32), K, 128, "layer")
    with pytest.raises(OrderError, match=r"g_idx\[0\] is nan, expected 0"):
        check_g_idx(np.full(K, np.nan, np.float32), K, 128, "layer")
    with pytest.raises(CheckpointError, match="g_idx of integers, found bool"):
        check_g_idx(np.zeros(K, bool), K, 128, "layer")


def with_key(path, key, value):
    """ct() with one more key in the object at `path`."""
    config = ct()
    node = config
    for name in path:
        node = node.setdefault(name, {})
    node[key] = value
    return config


Q = ("quantization_config",)
GROUP = (*Q, "config_groups", "group_0")


@pytest.mark.parametrize(
    "path",
    [
        (),
        Q,
        GROUP,
        (*GROUP, "weights"),
        (*Q, "extra", "deep"),
        ("compression_config", "config_groups", "g", "weights"),
        ("text_config", "quantization_config", "config_groups", "g", "weights"),
    ],
)
@pytest.mark.parametrize(
    "key, value",
    [
        ("actorder", "group"),
        ("actorder", "Dynamic"),
        ("actorder", True),
        ("actOrder", True),
        ("act-order", "group"),
        ("ACT_ORDER", True),
        ("use_act_order", True),
        ("desc_act", True),
        ("descAct", True),
        ("g_idx", True),
        ("activation_ordering", "group"),
        ("sort_indices", True),
        ("is_k_full", True),
    ],
)
def test_a_key_anywhere_is_refused(path, key, value):
    with pytest.raises(OrderError, match=r"group activation ordering.*\[ORD6\]") as info:
        parse_config(with_key(path, key, value))
    assert str(info.value).startswith(".".join(path) or "config.json")
    assert f"{key} = " in str(info.value) and "use a checkpoint with" in str(info.value)


@pytest.mark.parametrize("path", [(), Q, GROUP, (*GROUP, "weights")])
@pytest.mark.parametrize("key", ["actorder", "act_order", "desc_act", "g_idx", "is_k_full"])
@pytest.mark.parametrize("value", [None, False, "static", "weight", "none", "Static"])
def test_a_key_that_asks_for_nothing(path, key, value):
    parse_config(with_key(path, key, value))


@pytest.mark.parametrize("key", ["factor_derived", "hidden_act", "act_group_aware", "reorder"])
def test_other_keys_are_not_about_order(key):
    parse_config(with_key(Q, key, True))


@pytest.mark.parametrize("path", [Q, GROUP, (*GROUP, "weights")])
@pytest.mark.parametrize("channel", [{"group_size": -1}, {"strategy": "channel"}])
def test_desc_act_over_channelwise_weights(path, channel):
    config = with_key(path, "desc_act", True)
    group = config["quantization_config"]["config_groups"]["group_0"]
    kept = {k: v for k, v in group["weights"].items() if k not in ("group_size", "strategy")}
    group["weights"] = {**kept, **channel}
    parse_config(config)
    config["quantization_config"]["config_groups"]["group_1"] = ct()["quantization_config"][
        "config_groups"
    ]["group_0"]
    if path == Q:  # now it stands over groups too
        with pytest.raises(OrderError, match="desc_act"):
            parse_config(config)
    else:
        parse_config(config)


@pytest.mark.parametrize("value", ["sorted", 1, ["group"], {"a": 1}])
def test_a_value_that_means_nothing(value):
    with pytest.raises(CheckpointError, match=r"expected actOrder to be null.*\[ORD6\]"):
        parse_config(with_key(GROUP, "actOrder", value))


@pytest.mark.parametrize(
    "name",
    ["perm", "weight_perm", "input_perm", "g_idx_sort_indices", "sort_indices", "G_IDX"]
    + ["act_order", "inputPerm", "weight_packed.perm", "reorder_index", "desc_act"],
)
def test_tensors_that_store_an_order(name):
    with pytest.raises(OrderError, match=rf"^layer: tensor layer.{name} asks.*\[ORD6\]"):
        check_tensor_names([f"layer.{name}"], "layer")
    check_tensor_names([f"other.{name}"], "layer")


def test_tensors_that_do_not():
    names = ["weight_packed", "weight_scale", "weight_shape", "weight_g_idx", "g_idx", "bias"]
    check_tensor_names([f"layer.{n}" for n in names], "layer")
