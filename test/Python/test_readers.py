"""wna16.open() on checkpoints that the real packages wrote (field reports A, B, C).

Every folder has an expected.json with the SHA-256 of what the package itself makes of
each layer; test/Inputs/*/make.py says how. No package is needed here.
"""

import dataclasses
import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import wna16
from wna16 import CheckpointError
from wna16.dtypes import numpy_dtype

from conftest import CHECKPOINT, ROOT

INPUTS = ROOT / "test" / "Inputs"
FIXTURES = [
    path.parent for path in sorted(INPUTS.rglob("expected.json")) if path.parent != CHECKPOINT
]
LAYERS = [
    (folder, name)
    for folder in FIXTURES
    for name in json.loads((folder / "expected.json").read_text())
]


def dequantize(layer):
    """float64 [K, N], exact."""
    record = layer.record
    codes, scales = layer.codes().astype(np.float64), layer.scales().astype(np.float64)
    zeros = layer.zeros()
    zeros = np.full(scales.shape, record.offset) if zeros is None else zeros.astype(np.float64)
    row = np.arange(record.k) // (record.k if record.group == -1 else record.group)
    return (codes - zeros[row]) * scales[row]


def test_there_are_fixtures_of_every_format():
    formats = {record.format for folder in FIXTURES for record in wna16.open(folder)}
    assert formats == {"gptq", "gptq_v2", "awq", "compressed-tensors"}


@pytest.mark.parametrize(
    "folder, name", LAYERS, ids=[f"{folder.parent.name}/{folder.name}-{name}" for folder, name in LAYERS]
)
def test_equals_what_the_package_dequantizes(folder, name):
    expected = json.loads((folder / "expected.json").read_text())[name]
    layer = wna16.open(folder).layer(name)
    record = layer.record
    for field in ("format", "k", "n", "bits", "symmetric", "group", "scale_dtype"):
        assert getattr(record, field) == expected[field], field
    assert layer.codes().dtype == np.uint8 and layer.codes().shape == (record.k, record.n)
    assert layer.scales().shape == (record.groups, record.n)
    weight = dequantize(layer).T.astype(numpy_dtype(record.scale_dtype))
    digest = hashlib.sha256(np.ascontiguousarray(weight).view(np.int16).tobytes()).hexdigest()
    assert digest == expected["sha256"]


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_records(folder):
    expected = json.loads((folder / "expected.json").read_text())
    checkpoint = wna16.open(folder)
    assert set(checkpoint.records) == set(expected) and len(checkpoint) == len(expected)
    for record in checkpoint:
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.bits = 4
        assert record.name in str(record) and record.source in str(checkpoint)
        assert json.loads(json.dumps(record.as_json()))["k"] == record.k
        layer = checkpoint.layer(record.name)
        bias = layer.bias()
        assert (bias is not None) == expected[record.name].get("bias", False)
        assert bias is None or (bias.shape == (record.n,) and record.bias_dtype)
        zeros = layer.zeros()
        assert (zeros is None) == record.symmetric == (record.offset is not None)
        if zeros is not None:
            assert zeros.dtype == np.uint8 and zeros.shape == (record.groups, record.n)
            # A7: zero points that are all alike would hide a wrong order of columns.
            assert record.bits == 1 or len(np.unique(zeros)) > 1


def test_no_tensor_of_weights_is_read_by_open(monkeypatch):
    from wna16.formats import layer, layer_tensors

    def only_shapes(file, name):
        assert name.endswith(".weight_shape"), name
        return load_file(file)[name]

    monkeypatch.setattr(layer_tensors, "read_tensor", only_shapes)
    monkeypatch.setattr(layer, "read_tensor", lambda *_: pytest.fail("read"))
    for folder in FIXTURES:
        wna16.open(folder)


class TestCompressedTensorsWidths:
    folder = INPUTS / "compressed-tensors-widths"

    def test_targets_and_orders(self):
        checkpoint = wna16.open(self.folder)
        assert "target 're:b3$'" in checkpoint.records["b3"].source
        assert "target 'Linear'" in checkpoint.records["b4"].source
        # C1: static is no run-time order, whatever its truth value.
        assert checkpoint.records["b3z"].order == "actorder=static"
        assert checkpoint.records["b4z"].order == "actorder=weight"
        assert checkpoint.records["b2"].order == "no actorder"

    def test_ignored_layer_is_reported(self):
        checkpoint = wna16.open(self.folder)
        assert "ignore entry 'lm_head'" in checkpoint.unquantized["lm_head"]
        with pytest.raises(CheckpointError, match=r"lm_head: .*not quantized.*\[CKPT5\]"):
            checkpoint.layer("lm_head")

    def test_unknown_layer(self):
        with pytest.raises(CheckpointError, match=r"no quantized layer b9; it has .*\[CKPT2\]"):
            wna16.open(self.folder).layer("b9")
