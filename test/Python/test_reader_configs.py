"""Configurations: what is accepted, contradictory, unknown or not supported.

Every case changes one thing in a checkpoint that a real package wrote. Classes A and B
are those of reports from users of such kernels: encoding, and the configuration.
"""

import json
import shutil

import numpy as np
import pytest

import wna16
from wna16 import CheckpointError

from conftest import DOWN, INPUTS, group, put

GPTQ = INPUTS / "gptqmodel" / "v1"
GPTQ_V2 = INPUTS / "gptqmodel" / "v2"
CT = INPUTS / "compressed-tensors-widths"


class TestClassA:
    """Encoding: versions, zero points, symmetric layers."""

    def test_v1_and_v2_differ_by_one(self, edit):
        """A1: which of the two it is, is said by the configuration alone."""
        folder = edit(GPTQ, put(sym=False, dynamic=None, lm_head=False), drop_8_bits)
        v1 = wna16.open(folder).layer(DOWN).zeros()
        change = put(checkpoint_format="gptq_v2", format=None)
        data = json.loads((folder / "config.json").read_text())
        change(data["quantization_config"])
        (folder / "config.json").write_text(json.dumps(data))
        v2 = wna16.open(folder).layer(DOWN)
        assert v2.record.format == "gptq_v2"
        np.testing.assert_array_equal(v1, v2.zeros() + 1)

    def test_symmetric_layers_never_read_zero_points(self, edit):
        """A2, A3, A4: whatever they hold, or if there are none."""
        plain = wna16.open(GPTQ).layer(DOWN)

        def noise(tensors):
            zeros = tensors[f"{DOWN}.qzeros"]
            tensors[f"{DOWN}.qzeros"] = np.full_like(zeros, 0x12345678)
            tensors.pop("model.layers.0.mlp.up_proj.qzeros")

        layer = wna16.open(edit(GPTQ, tensors=noise)).layer(DOWN)
        assert layer.zeros() is None and layer.record.offset == 8
        np.testing.assert_array_equal(layer.codes(), plain.codes())

    def test_v1_zero_point_that_readers_disagree_on(self, edit):
        def wrap(tensors):
            drop_8_bits(tensors)
            tensors[f"{DOWN}.qzeros"][1, 2] = -1

        folder = edit(GPTQ, put(sym=False, dynamic=None), wrap)
        layer = wna16.open(folder).layer(DOWN)
        with pytest.raises(CheckpointError, match=r"group 1, column 16 is stored as 15.*CKPT3"):
            layer.zeros()

    def test_three_bits_are_a_stream_of_words(self):
        """A8: 32 codes in three words, not ten in each."""
        record = wna16.open(GPTQ_V2).records["model.layers.0.self_attn.q_proj"]
        assert (record.bits, record.k) == (3, 128)
        assert record.tensor("qweight").shape[0] == 128 * 3 // 32

    def test_zero_axis_comes_from_the_format(self, edit):
        """A5, A6: and so do their shape and their packing."""
        def transpose(tensors):
            tensors["b4z.weight_zero_point"] = tensors["b4z.weight_zero_point"].T.copy()

        with pytest.raises(CheckpointError, match=r"b4z.weight_zero_point of shape \[12, 2\]"):
            wna16.open(edit(CT, tensors=transpose))

    def test_missing_zero_points(self, edit):
        """A9: an error, not a default."""
        folder = edit(CT, tensors=lambda t: t.pop("b4z.weight_zero_point"))
        with pytest.raises(CheckpointError, match=r"b4z.weight_zero_point is missing.*CKPT2"):
            wna16.open(folder)

    def test_zero_points_of_a_symmetric_layer(self, edit):
        zeros = {"b8.weight_zero_point": np.zeros((16, 1), np.int32)}
        folder = edit(CT, tensors=lambda t: t.update(zeros))
        with pytest.raises(CheckpointError, match=r"b8: found b8.weight_zero_point.*CKPT4"):
            wna16.open(folder)

    @pytest.mark.parametrize(
        "fields, said",
        [
            (dict(is_marlin_format=True), "is_marlin_format"),
            (dict(checkpoint_format="marlin", format=None), "checkpoint_format: expected gptq or"),
            (dict(checkpoint_format="gptq_v3", format=None), "found 'gptq_v3'"),
            (dict(format="gptq_p", checkpoint_format=None), "found 'gptq_p'"),
            (dict(checkpoint_format="gptq_v2"), "expected the same"),
            (dict(pack_dtype="int64"), "pack_dtype: expected int32"),
            (dict(bits=5, dynamic=None), "expected one of 2, 3, 4, 8, found 5"),
        ],
    )
    def test_versions(self, edit, fields, said):
        """A11: storage that a kernel's own repacker made is not read as the plain one."""
        with pytest.raises(CheckpointError, match=rf"{said}.*\[CKPT4\]"):
            wna16.open(edit(GPTQ, put(**fields)))


def drop_8_bits(tensors):
    for name in list(tensors):
        if "o_proj" in name:
            del tensors[name]


class TestClassB:
    """Reading the configuration."""

    def test_rules(self):
        """B5: settings of single layers, and layers that are excluded."""
        checkpoint = wna16.open(GPTQ)
        o_proj = checkpoint.records["model.layers.1.self_attn.o_proj"]
        assert (o_proj.bits, o_proj.group) == (8, 64) and "o_proj" in o_proj.source
        assert (checkpoint.records[DOWN].bits, checkpoint.records[DOWN].group) == (4, 32)
        excluded = checkpoint.unquantized["model.layers.1.mlp.gate_proj"]
        assert "'-:.*layers" in excluded and "lm_head" in checkpoint.unquantized

    def test_first_rule_wins_and_does_not_fall_through(self, edit):
        def change(config):
            last = config["dynamic"].pop(r"+:.*\.o_proj")
            config["dynamic"][r".*self_attn\.o"] = last
            config["dynamic"][r"+:.*o_proj"] = {"bits": 4, "sym": False}

        record = wna16.open(edit(GPTQ, change)).records["model.layers.0.self_attn.o_proj"]
        assert record.bits == 8 and record.symmetric and "self_attn" in record.source

    def test_rule_matches_from_the_beginning(self, edit):
        folder = edit(GPTQ, lambda c: c["dynamic"].update({r"+:down_proj": {"bits": 2}}))
        assert wna16.open(folder).records[DOWN].bits == 4

    def test_excluded_layer_with_packed_weights(self, edit):
        folder = edit(GPTQ, lambda c: c["dynamic"].update({r"-:.*down": {}}))
        with pytest.raises(CheckpointError, match=rf"{DOWN}: has packed weights, but .*-:.*CKPT5"):
            wna16.open(folder)

    def test_rule_that_the_tensors_contradict(self, edit):
        with pytest.raises(CheckpointError, match=r"found .* in model.safetensors \[CKPT3\]"):
            wna16.open(edit(GPTQ, lambda c: c["dynamic"].pop(r"+:.*\.o_proj")))

    @pytest.mark.parametrize("value", [None, -1])
    def test_one_group_per_column_has_three_spellings(self, edit, value):
        """Also B2: the same in every format."""
        channelwise = INPUTS / "gptqmodel" / "channelwise"
        for change in (put(group_size=value), lambda c: c.pop("group_size")):
            folder = edit(channelwise, change)
            assert {r.group for r in wna16.open(folder)} == {-1}
            shutil.rmtree(folder)

    def test_channel_strategy_with_null(self):
        """B1: null, absent and -1 all mean one group per column."""
        assert wna16.open(CT).records["b8"].group == -1

    @pytest.mark.parametrize(
        "fields, said",
        [
            (dict(group_size="128"), "group_size: expected a positive integer, -1 or null"),
            (dict(group_size=0), "group_size: expected"),
            (dict(group_size=True), "group_size: expected"),
            (dict(group_size=10**30), "group_size: expected"),
            (dict(bits="4"), "bits: expected an integer"),
            (dict(bits=4.0), "bits: expected an integer"),
            (dict(sym=None), "sym: expected true or false"),
            (dict(sym="yes"), "sym: expected true or false"),
            (dict(dynamic=[]), "dynamic"),
            (dict(dynamic={"+:[": {}}), "not a regular expression"),
            (dict(dynamic={"+:x": 5}), "rule"),
            (dict(adapter={"name": "lora", "rank": 8}), "adapter"),
            (dict(activation={"mode": "w4afp8"}), "activation"),
            (dict(rotation="hadamard"), "rotation"),
            (dict(quant_method="hqq"), "quant_method: expected gptq, awq or"),
            (dict(quant_method="auto-round"), "found 'auto-round'"),
            (dict(quant_method=["gptq"]), "quant_method"),
            (dict(lm_head="no"), "lm_head: expected true or false"),
        ],
    )
    def test_wrong_field(self, edit, fields, said):
        with pytest.raises(CheckpointError, match=rf"config.json.*{said}.*\[(CKPT4|ORD6)\]"):
            wna16.open(edit(GPTQ, put(**fields)))

    def test_unknown_fields_are_refused(self, edit):
        with pytest.raises(CheckpointError, match=r"unknown field zero_scale = 3.*\[CKPT6\]"):
            wna16.open(edit(GPTQ, put(zero_scale=3)))

    def test_unknown_fields_that_ask_for_nothing(self, edit):
        wna16.open(edit(GPTQ, put(zero_scale=None, other=False, third={"a": []})))

    def test_unknown_field_of_a_rule(self, edit):
        with pytest.raises(CheckpointError, match=r"rule .*unknown field rank = 3.*\[CKPT6\]"):
            wna16.open(edit(GPTQ, lambda c: c["dynamic"][r"+:.*\.o_proj"].update(rank=3)))

    @pytest.mark.parametrize(
        "where",
        [
            lambda c: c,
            lambda c: c["config_groups"]["group_0"],
            lambda c: c["config_groups"]["group_0"]["weights"],
        ],
    )
    def test_unknown_field_of_compressed_tensors(self, edit, where):
        with pytest.raises(CheckpointError, match=r"unknown field twist = 'x'.*\[CKPT6\]"):
            wna16.open(edit(CT, lambda c: where(c).update(twist="x")))

    def test_unknown_tensor_of_a_layer(self, edit):
        folder = edit(GPTQ, tensors=lambda t: t.update({f"{DOWN}.twist": np.zeros(3, np.float32)}))
        with pytest.raises(CheckpointError, match=rf"unknown tensor {DOWN}.twist.*\[CKPT6\]"):
            wna16.open(folder)

    @pytest.mark.parametrize(
        "fields, said",
        [
            (dict(type="float"), "type: expected int"),
            (dict(num_bits=9), "num_bits: expected an integer from 1 to 8"),
            (dict(num_bits=None), "num_bits"),
            (dict(strategy="tensor", group_size=None), "strategy: expected group or channel"),
            (dict(strategy="block", block_structure=[128, 128]), "block_structure"),
            (dict(strategy="channel", group_size=32), "contradicts"),
            (dict(strategy="group", group_size=None), "contradicts"),
            (dict(strategy=None, group_size=None), "found 'tensor'"),
            (dict(dynamic=True), "dynamic"),
            (dict(symmetric=1), "symmetric: expected true or false"),
        ],
    )
    def test_wrong_weights(self, edit, fields, said):
        with pytest.raises(CheckpointError, match=rf"config_groups.*weights.*{said}.*\[CKPT4\]"):
            wna16.open(edit(CT, group(**fields)))

    def test_quantized_activations_and_other_formats(self, edit):
        def change(config):
            for entry in config["config_groups"].values():
                entry["input_activations"] = {"num_bits": 8, "dynamic": True}

        with pytest.raises(CheckpointError, match="quantized activations"):
            wna16.open(edit(CT, change))

    def test_two_patterns_that_match(self, edit):
        def change(config):
            config["config_groups"]["more"] = {
                "targets": ["re:b3$"],
                "weights": {"num_bits": 4, "group_size": 32},
            }

        with pytest.raises(CheckpointError, match=r"b3: .* both match.*\[CKPT4\]"):
            wna16.open(edit(CT, change))

    def test_a_name_goes_before_a_pattern(self, edit):
        def change(config):
            config["config_groups"] = {
                "catch": {"targets": ["re:b2"], "weights": {"num_bits": 4, "group_size": 32}},
                **config["config_groups"],
            }

        assert wna16.open(edit(CT, change)).records["b2"].bits == 2

    def test_status_of_a_checkpoint_that_is_not_packed(self, edit):
        with pytest.raises(CheckpointError, match="quantization_status: expected compressed"):
            wna16.open(edit(CT, put(quantization_status="initialized")))

    def test_lm_head(self, edit):
        def rename(tensors):
            for name in [n for n in tensors if n.startswith(DOWN)]:
                tensors[name.replace(DOWN, "lm_head")] = tensors.pop(name)
            tensors.pop("lm_head.weight")

        with pytest.raises(CheckpointError, match=r"lm_head: has packed weights.*\[CKPT5\]"):
            wna16.open(edit(GPTQ, tensors=rename))

    def test_quantized_lm_head(self, edit):
        def rename(tensors):
            for name in [n for n in tensors if n.startswith(DOWN)]:
                tensors[name.replace(DOWN, "lm_head")] = tensors.pop(name)
            tensors.pop("lm_head.weight")

        assert "lm_head" in wna16.open(edit(GPTQ, put(lm_head=True), rename)).records


class TestFiles:
    """Where the configuration is."""

    def test_only_quantize_config(self, edit):
        folder = edit(GPTQ, whole=lambda w: w.pop("quantization_config"), keep_other=True)
        record = wna16.open(folder).records[DOWN]
        assert record.source == "quantize_config.json" and record.bits == 4
        (folder / "config.json").unlink()
        assert DOWN in wna16.open(folder).records

    def test_old_quantize_config_has_no_method(self, edit):
        folder = edit(GPTQ, whole=lambda w: w.pop("quantization_config"), keep_other=True)
        data = json.loads((folder / "quantize_config.json").read_text())
        old = {k: data[k] for k in ("bits", "group_size", "desc_act", "sym", "dynamic")}
        (folder / "quantize_config.json").write_text(json.dumps(old))
        assert wna16.open(folder).records[DOWN].format == "gptq"

    def test_two_files_that_differ(self, edit):
        with pytest.raises(CheckpointError, match=r"bits is 8, but quantize_config.json says 4"):
            wna16.open(edit(GPTQ, put(bits=8), keep_other=True))

    def test_none(self, edit):
        with pytest.raises(CheckpointError, match=r"this checkpoint is not quantized \[CKPT4\]"):
            wna16.open(edit(GPTQ, whole=lambda w: w.pop("quantization_config")))

    def test_configuration_without_packed_tensors(self, edit):
        def drop(tensors):
            for name in [n for n in tensors if n.endswith(".qweight")]:
                del tensors[name]

        with pytest.raises(CheckpointError, match=r"no tensor whose name ends in .qweight"):
            wna16.open(edit(GPTQ, tensors=drop))


class TestAwqExclusions:
    """B3, B4: modules_to_not_convert is honoured, as a part of a name."""

    folder = INPUTS / "autoawq" / "groups-of-64"

    def test_excluded_module_is_reported(self):
        assert "entry 'visual'" in wna16.open(self.folder).unquantized["visual.proj"]

    def test_excluded_layer_with_packed_weights(self, edit):
        with pytest.raises(CheckpointError, match=r"has packed weights, but .*\[CKPT5\]"):
            wna16.open(edit(self.folder, put(modules_to_not_convert=["layers.0."])))

    def test_the_dot_at_the_end_counts(self, edit):
        wna16.open(edit(self.folder, put(modules_to_not_convert=["layers.0.m.", "layers.00."])))
