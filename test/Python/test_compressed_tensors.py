"""Layers that the real compressed-tensors package wrote, and damaged ones."""

import hashlib
import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import wna16
from wna16 import (
    CheckpointError,
    DTypeError,
    OrderError,
    Wna16Error,
    reference,
)

from conftest import CHECKPOINT, LAYER


def load(path, layer):
    return wna16.open(path).layer(layer).pack()


@pytest.fixture(scope="module")
def tensors():
    return load_file(CHECKPOINT / "model.safetensors")


@pytest.fixture
def checkpoint(tmp_path, tensors):
    """A copy to damage: edit(config=f, tensors=g) -> path."""

    def edit(config=None, change=None):
        folder = tmp_path / "checkpoint"
        folder.mkdir(exist_ok=True)
        data = json.loads((CHECKPOINT / "config.json").read_text())
        if config:
            config(data["quantization_config"])
        (folder / "config.json").write_text(json.dumps(data))
        copy = dict(tensors)
        if change:
            change(copy)
        save_file(copy, folder / "model.safetensors")
        return folder

    return edit


def weights(config):
    return config["config_groups"]["group_0"]["weights"]


class TestRealFixture:
    """The reference unpacker against the library's own dequantized weight."""

    expected = json.loads((CHECKPOINT / "expected.json").read_text())

    def dequantized(self, tensors):
        codes = reference.unpack_compressed_tensors(
            tensors[f"{LAYER}.weight_packed"], self.expected["k"]
        )
        scales = tensors[f"{LAYER}.weight_scale"].T
        return reference.dequantize(codes, scales, self.expected["group"])

    def test_equals_the_librarys_dequantization(self, tensors):
        ours = np.ascontiguousarray(self.dequantized(tensors).astype(np.float16).T)
        assert list(ours.shape) == self.expected["dequantized_shape"]
        digest = hashlib.sha256(ours.tobytes()).hexdigest()
        assert digest == self.expected["dequantized_sha256"]

    def test_first_rows(self, tensors):
        kept = load_file(CHECKPOINT / "expected.safetensors")
        ours = self.dequantized(tensors).T[: len(kept["dequantized"])]
        np.testing.assert_array_equal(ours.astype(np.float16), kept["dequantized"])
        # Quantization moves a weight by at most half a step (and the largest code,
        # +8 steps away, does not exist: one step there).
        step = tensors[f"{LAYER}.weight_scale"][: len(ours)].astype(np.float64)
        error = np.abs(ours - kept["original"].astype(np.float64))
        assert (error <= 1.001 * np.repeat(step, self.expected["group"], axis=1)).all()
        assert np.median(error / np.repeat(step, self.expected["group"], axis=1)) < 0.3

    def test_scales_are_all_different(self, tensors):
        scales = tensors[f"{LAYER}.weight_scale"]
        assert len(np.unique(scales)) > 0.7 * scales.size

    @pytest.mark.needs_runtime
    def test_packed_layer_is_the_same_matrix(self, tensors):
        layer = load(CHECKPOINT, LAYER)
        p = layer.problem
        assert (p.k, p.n, p.group) == (512, 384, 128)
        codes = reference.unpack_marlin(layer.w, p.k, p.n)
        scales = reference.unpack_marlin_scales(layer.s, p.groups, p.n)
        np.testing.assert_array_equal(
            reference.dequantize(codes, scales, p.group), self.dequantized(tensors)
        )

    @pytest.mark.needs_runtime
    def test_file_instead_of_folder(self):
        layer = load(CHECKPOINT / "model.safetensors", LAYER)
        assert layer.w.dtype == np.int32 and layer.s.dtype == np.float16


@pytest.mark.needs_runtime
def test_sharded_checkpoint(checkpoint, tensors):
    folder = checkpoint()
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    weight_map = {}
    for i, name in enumerate(names):
        save_file({name: tensors[name]}, folder / f"part-{i}.safetensors")
        weight_map[name] = f"part-{i}.safetensors"
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    assert load(folder, LAYER).problem.k == 512


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("num_bits", 8, r"of shape \[384, 128\], found \[384, 64\].*CKPT3"),
        ("symmetric", False, r"weight_zero_point is missing.*CKPT2"),
        ("group_size", 64, r"weight_scale of shape \[384, 8\], found \[384, 4\].*CKPT3"),
        ("group_size", None, r"'group' contradicts group_size = None.*CKPT4"),
        ("strategy", "channel", r"'channel' contradicts group_size = 128.*CKPT4"),
        ("type", "float", r"type: expected int, found 'float'.*CKPT4"),
        ("dynamic", True, r"expected no dynamic, found True.*CKPT4"),
    ],
)
def test_scheme_that_the_tensors_contradict_or_nobody_supports(checkpoint, field, value, text):
    folder = checkpoint(lambda c: weights(c).update({field: value}))
    with pytest.raises(CheckpointError, match=rf"{LAYER}.*{text}"):
        wna16.open(folder)


def test_quantized_activations_are_refused(checkpoint):
    def change(config):
        config["config_groups"]["group_0"]["input_activations"] = {"num_bits": 8}

    with pytest.raises(CheckpointError, match="quantized activations"):
        load(checkpoint(change), LAYER)


def test_other_format_is_refused(checkpoint):
    def change(config):
        config["config_groups"]["group_0"]["format"] = "int-quantized"

    with pytest.raises(CheckpointError, match="expected pack-quantized, found 'int-quantized'"):
        load(checkpoint(change), LAYER)


def test_order_is_refused_before_any_file_is_opened(checkpoint):
    folder = checkpoint(lambda c: weights(c).update(actorder="GROUP"))
    (folder / "model.safetensors").write_bytes(b"not even a file")
    with pytest.raises(OrderError, match="ORD6"):
        load(folder, LAYER)


def test_g_idx_that_is_not_trivial(checkpoint):
    def change(tensors):
        g_idx = (np.arange(512) // 128).astype(np.int32)
        tensors[f"{LAYER}.weight_g_idx"] = g_idx[::-1].copy()

    with pytest.raises(OrderError, match=rf"{LAYER}: g_idx\[0\] is 3, expected 0"):
        load(checkpoint(change=change), LAYER)


@pytest.mark.needs_runtime
def test_trivial_g_idx_is_accepted(checkpoint):
    def change(tensors):
        tensors[f"{LAYER}.weight_g_idx"] = (np.arange(512) // 128).astype(np.int32)

    load(checkpoint(change=change), LAYER)


@pytest.mark.parametrize("name", ["weight_scale", "weight_shape"])
def test_missing_tensor(checkpoint, name):
    folder = checkpoint(change=lambda t: t.pop(f"{LAYER}.{name}"))
    with pytest.raises(CheckpointError, match=rf"{LAYER}.{name} is missing.*CKPT2"):
        load(folder, LAYER)


def test_zero_points_contradict_symmetric(checkpoint):
    def change(tensors):
        tensors[f"{LAYER}.weight_zero_point"] = np.zeros((48, 4), np.int32)

    with pytest.raises(CheckpointError, match=rf"found {LAYER}.weight_zero_point .*CKPT4"):
        load(checkpoint(change=change), LAYER)


@pytest.mark.parametrize("name", ["qzeros", "zero_point", "weight_zp", "weight_zeros"])
def test_other_names_of_zero_points(checkpoint, name):
    folder = checkpoint(change=lambda t: t.update({f"{LAYER}.{name}": np.zeros(3, np.int32)}))
    with pytest.raises(CheckpointError, match=rf"unknown tensor {LAYER}.{name} .*\[CKPT6\]"):
        load(folder, LAYER)


def test_order_tensor_is_refused(checkpoint):
    folder = checkpoint(change=lambda t: t.update({f"{LAYER}.perm": np.arange(512)}))
    with pytest.raises(OrderError, match=rf"tensor {LAYER}.perm"):
        load(folder, LAYER)


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("transform_config", {"config_groups": {"u": {"type": "hadamard"}}}, "no transforms"),
        ("transform_config", "x", "no transforms"),
        ("sparsity_config", {"format": "sparse-24-bitmask"}, "sparse-24-bitmask"),
        ("sparsity_config", {"sparsity_structure": "2:4"}, "format dense, found None"),
        ("moe_sparsity_config", {"format": "x"}, "format dense, found .x."),
        ("sparsity_config", "x", "an object or null"),
        ("format", "nvfp4-pack-quantized", "expected the same"),
        ("format", 5, "expected a string or null"),
        ("ignore", "lm_head", "expected a list of strings"),
        ("ignore", [5], "expected a list of strings"),
        ("ignore", ["re:["], "not a regular expression"),
    ],
)
def test_refused_field_of_the_whole(checkpoint, field, value, text):
    with pytest.raises(CheckpointError, match=rf"{field}.*{text}.*\[CKPT4\]"):
        load(checkpoint(lambda c: c.update({field: value})), LAYER)


@pytest.mark.needs_runtime
@pytest.mark.parametrize(
    "field, value",
    [
        ("transform_config", {"config_groups": {}}),
        ("transform_config", None),
        ("sparsity_config", {"format": "dense", "targets": ["Linear"]}),
        ("sparsity_config", None),
        ("format", "mixed-precision"),
        ("format", None),
        ("ignore", None),
    ],
)
def test_accepted_field_of_the_whole(checkpoint, field, value):
    load(checkpoint(lambda c: c.update({field: value})), LAYER)


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("weights", 5, "an object or null, found 5"),
        ("weights", [1], "an object or null"),
        ("input_activations", "x", "an object or null"),
        ("output_activations", 5, "an object or null"),
        ("targets", "Linear", "a list of strings, found 'Linear'"),
        ("targets", [None], "a list of strings"),
        ("targets", {}, "a list of strings"),
        ("targets", ["re:("], "not a regular expression"),
        ("format", [], "a string or null"),
    ],
)
def test_malformed_field_of_a_group(checkpoint, field, value, text):
    folder = checkpoint(lambda c: c["config_groups"]["group_0"].update({field: value}))
    with pytest.raises(CheckpointError, match=rf"group_0.{field}: .*{text}.*\[CKPT4\]"):
        load(folder, LAYER)


def test_two_configurations_that_differ(checkpoint):
    folder = checkpoint()
    data = json.loads((folder / "config.json").read_text())
    data["compression_config"] = {"format": "x"}
    (folder / "config.json").write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match=r"another compression_config.*\[CKPT4\]"):
        load(folder, LAYER)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"quantization_config":' * 5000])
def test_deeply_nested_json(checkpoint, text):
    folder = checkpoint()
    (folder / "config.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"\[CKPT1\]"):
        load(folder, LAYER)


def test_deeply_nested_part(checkpoint):
    folder = checkpoint()
    data = json.loads((folder / "config.json").read_text())
    data["quantization_config"]["transform_config"] = "HERE"
    text = json.dumps(data).replace('"HERE"', '{"a":' * 700 + "{}" + "}" * 700)
    (folder / "config.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"\[CKPT1\]"):
        load(folder, LAYER)


def test_index_with_a_file_that_is_no_name(checkpoint):
    folder = checkpoint()
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {f"{LAYER}.weight_packed": 5}})
    )
    with pytest.raises(CheckpointError, match=r"weight_packed, found 5 \[CKPT1\]"):
        load(folder, LAYER)


@pytest.mark.parametrize("path", [None, 5, b"x"])
def test_path_of_a_wrong_type(path):
    with pytest.raises(CheckpointError, match=r"path of a checkpoint.*\[CKPT1\]"):
        load(path, LAYER)


@pytest.mark.parametrize("layer", [None, 5, ""])
def test_layer_of_a_wrong_type(layer):
    with pytest.raises(CheckpointError, match=r"name of a layer.*\[CKPT2\]"):
        load(CHECKPOINT, layer)


def replace(name, value):
    return lambda tensors: tensors.update({f"{LAYER}.{name}": value})


@pytest.mark.parametrize(
    "change, error, text",
    [
        (
            replace("weight_packed", np.zeros((384, 63), np.int32)),
            CheckpointError,
            r"384, 64\].*\[CKPT3\]",
        ),
        (replace("weight_packed", np.zeros((384, 64), np.int64)), DTypeError, r"I32, found I64.*\[CKPT3\]"),
        (
            replace("weight_scale", np.zeros((384, 3), np.float16)),
            CheckpointError,
            r"384, 4\].*\[CKPT3\]",
        ),
        (
            replace("weight_scale", np.zeros((384, 4), np.float32)),
            DTypeError,
            r"F16 or BF16, found F32.*\[CKPT3\]",
        ),
        (
            replace("weight_scale", np.full((384, 4), np.nan, np.float16)),
            CheckpointError,
            r"not finite \[CKPT3\]",
        ),
        (replace("weight_shape", np.array([384, -1])), CheckpointError, r"weight_shape.*\[CKPT3\]"),
        (replace("weight_shape", np.array([np.nan, 512])), CheckpointError, r"found dtype F64.*\[CKPT3\]"),
        (replace("weight_shape", np.array([True, True])), CheckpointError, r"found dtype BOOL.*\[CKPT3\]"),
        (replace("weight_shape", np.array([384])), CheckpointError, r"weight_shape.*\[CKPT3\]"),
        # Any K and N is padded by the packer; the other tensors have to agree.
        (
            replace("weight_shape", np.array([384, 520])),
            CheckpointError,
            r"weight_packed of shape \[384, 65\], found \[384, 64\].*\[CKPT3\]",
        ),
        (
            replace("weight_shape", np.array([100, 512])),
            CheckpointError,
            r"weight_packed of shape \[100, 64\], found \[384, 64\].*\[CKPT3\]",
        ),
    ],
)
def test_wrong_tensor(checkpoint, change, error, text):
    with pytest.raises(error, match=text) as info:
        load(checkpoint(change=change), LAYER)
    assert LAYER in str(info.value)


def test_bfloat16_scales_make_a_bfloat16_problem(checkpoint):
    layer = load(CHECKPOINT, LAYER)
    folder = checkpoint()
    header, rest = read_safetensors(folder / "model.safetensors")
    header[f"{LAYER}.weight_scale"]["dtype"] = "BF16"
    write_safetensors(folder / "model.safetensors", header, rest)
    brain = load(folder, LAYER)
    assert brain.problem.dtype == "bf16" and brain.s.dtype.name == "bfloat16"
    # The same 16 bits in the same places.
    np.testing.assert_array_equal(brain.s.view(np.int16), layer.s.view(np.int16))


def test_scales_of_a_wrong_type_are_named(checkpoint):
    folder = checkpoint()
    header, rest = read_safetensors(folder / "model.safetensors")
    header[f"{LAYER}.weight_scale"]["dtype"] = "U16"
    write_safetensors(folder / "model.safetensors", header, rest)
    with pytest.raises(DTypeError, match=r"F16 or BF16, found U16.*\[CKPT3\]"):
        load(folder, LAYER)


@pytest.mark.parametrize("size", [0, 4, 100, 50_000])
def test_truncated_file(checkpoint, size):
    folder = checkpoint()
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(CheckpointError, match="not a whole safetensors file.*CKPT1"):
        load(folder, LAYER)


def test_ignored_layer(checkpoint):
    with pytest.raises(CheckpointError, match=r"lm_head: .*not quantized.*ignore entry.*\[CKPT5\]"):
        load(checkpoint(), "lm_head")
    folder = checkpoint(lambda c: c.update(ignore=["re:.*down_proj"]))
    with pytest.raises(CheckpointError, match="ignore list"):
        load(folder, LAYER)


def test_untargeted_layer(checkpoint):
    def change(config):
        config["config_groups"]["group_0"]["targets"] = ["re:.*up_proj"]

    with pytest.raises(CheckpointError, match=r"no config group targets.*\[CKPT5\]"):
        load(checkpoint(change), LAYER)


@pytest.mark.needs_runtime
@pytest.mark.parametrize("target", ["re:.*down_proj", LAYER, "Linear"])
def test_targeted_layer(checkpoint, target):
    def change(config):
        config["config_groups"]["group_0"]["targets"] = [target]

    load(checkpoint(change), LAYER)


def test_unknown_layer_lists_the_known(checkpoint):
    with pytest.raises(CheckpointError, match=f"no quantized layer nope; it has {LAYER}"):
        load(checkpoint(), "nope")


@pytest.mark.parametrize(
    "damage, text",
    [
        (lambda f: shutil.rmtree(f), "does not exist"),
        (lambda f: (f / "config.json").unlink(), "neither config.json.*nor.*is there"),
        (lambda f: (f / "config.json").write_text("{"), "cannot read"),
        (lambda f: (f / "config.json").write_text("[]"), "not a JSON object"),
        (lambda f: (f / "config.json").write_text("{}"), "this checkpoint is not quantized"),
        (
            lambda f: (f / "config.json").write_text(
                '{"quantization_config": {"quant_method": "hqq"}}'
            ),
            "found 'hqq'",
        ),
        (lambda f: (f / "model.safetensors").unlink(), "model.safetensors does not exist"),
    ],
)
def test_damaged_folder(checkpoint, damage, text):
    folder = checkpoint()
    damage(folder)
    with pytest.raises(CheckpointError, match=text):
        load(folder, LAYER)


def test_every_error_is_of_this_package():
    with pytest.raises(Wna16Error):
        load("/nonexistent", LAYER)


def read_safetensors(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def write_safetensors(path, header, rest):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + rest)
