"""Layer.pack() of checkpoints that the real packages wrote, against plain unpackers.

And a layer that vLLM has repacked for its own kernel: it goes in as it is.
"""

import dataclasses

import numpy as np
import pytest

import wna16
from wna16 import CheckpointError, DTypeError, PackedLayer, Problem, ShapeError, reference
from wna16.dtypes import dtype_name
from wna16.pack import repack_scales

from conftest import DOWN, INPUTS, put

pytestmark = pytest.mark.needs_runtime

FOLDERS = [path.parent for path in sorted(INPUTS.rglob("config.json"))]


def padded(values, rows, columns):
    result = np.zeros((rows, columns), values.dtype)
    result[: values.shape[0], : values.shape[1]] = values
    return result


@pytest.mark.parametrize(
    "folder", FOLDERS, ids=[f"{folder.parent.name}/{folder.name}" for folder in FOLDERS]
)
def test_every_layer(folder):
    checkpoint = wna16.open(folder)
    for record in checkpoint:
        layer = checkpoint.layer(record.name)
        packed = layer.pack()
        p = packed.problem
        assert (p.k, p.n, p.bits, p.group, p.offset) == (
            record.k, record.n, record.bits, record.group, record.offset,
        )  # fmt: skip
        assert packed.name == record.name and p == record.problem and wna16.supports(p)
        kp, np_, groups = p.stored_k, p.stored_n, p.groups
        assert packed.w.ndim == packed.s.ndim == 1
        np.testing.assert_array_equal(
            reference.unpack_marlin(packed.w, kp, np_, p.bits), padded(layer.codes(), kp, np_)
        )
        assert dtype_name(packed.s.dtype) == p.scale_dtype == p.dtype == p.out_dtype
        np.testing.assert_array_equal(
            reference.unpack_marlin_scales(packed.s, groups, np_),
            padded(layer.scales(), groups, np_),
        )
        assert (packed.z is not None) == p.has_zeros
        if packed.z is not None:
            zeros = reference.unpack_marlin_zeros(packed.z, groups, np_, p.zero_bits)
            np.testing.assert_array_equal(zeros, padded(layer.zeros(), groups, np_))
        assert (packed.bias is not None) == (p.bias_dtype is not None)
        if packed.bias is not None:
            assert dtype_name(packed.bias.dtype) == p.bias_dtype
            np.testing.assert_array_equal(
                packed.bias[None, :], padded(layer.bias()[None, :], 1, np_)
            )


class TestActivationType:
    layer = wna16.open(INPUTS / "gptqmodel" / "v1").layer(DOWN)

    def test_storage_does_not_depend_on_it(self):
        half, brain = self.layer.pack(), self.layer.pack(dtype="bf16")
        p = brain.problem
        assert (p.dtype, p.out_dtype, p.scale_dtype) == ("bf16", "bf16", "f16")
        for name in ("w", "s"):
            np.testing.assert_array_equal(getattr(half, name), getattr(brain, name))

    @pytest.mark.parametrize("dtype, label", [("f32", "PROB1"), (16, "a string, found 16")])
    def test_of_no_kernel(self, dtype, label):
        with pytest.raises(DTypeError, match=rf"{DOWN}: expected .*{label}"):
            self.layer.pack(dtype=dtype)

    def test_packed_layers_are_immutable(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            self.layer.pack().w = None


def test_a_group_that_no_kernel_takes(edit):
    """Read all the same; the text says which layer and what to do."""

    def change(tensors):
        # 200 rows in groups of 128: the last group is a part of one.
        tensors["b4z.weight_shape"] = np.array([96, 200])
        tensors["b4z.weight_packed"] = tensors["b4z.weight_packed"][:, :25].copy()

    layer = wna16.open(edit(INPUTS / "compressed-tensors-widths", tensors=change)).layer("b4z")
    assert layer.codes().shape == (200, 96)
    with pytest.raises(ShapeError, match=r"b4z: .*divides K \(200\).*\[PROB3\]"):
        layer.pack()


def test_zero_points_of_v1_are_one_more(edit):
    """Of the same words, the two versions of GPTQ make zero points that differ by one."""

    def drop_8_bits(tensors):
        for name in [n for n in tensors if "o_proj" in n]:
            del tensors[name]

    source, fields = INPUTS / "gptqmodel" / "v1", dict(sym=False, dynamic=None, lm_head=False)
    layer = wna16.open(edit(source, put(**fields), drop_8_bits)).layer(DOWN)
    p, packed = layer.record.problem, layer.pack()
    zeros = reference.unpack_marlin_zeros(packed.z, p.groups, p.stored_n)
    stored = reference.unpack_gptq_zeros(layer._read("qzeros"), p.n)
    np.testing.assert_array_equal(zeros[: layer.record.groups, : p.n], stored + 1)
    # What is padded has no zero point, not one of 1.
    assert p.groups > layer.record.groups and not zeros[layer.record.groups :].any()


def test_values_are_checked_when_packing(edit):
    def change(tensors):
        tensors[f"{DOWN}.scales"][3, 5] = np.inf

    layer = wna16.open(edit(INPUTS / "gptqmodel" / "v1", tensors=change)).layer(DOWN)
    with pytest.raises(CheckpointError, match=rf"{DOWN}: scales .*not finite \[CKPT3\]"):
        layer.pack()


# Marlin's storage as its authors define it: by permutations of whole rows of tiles.


def vllm_weights(codes, bits):
    """codes [K, N] -> qweight, int32 [K / 16, N * 16 / (32 / bits)]."""
    k, n = codes.shape
    order = []
    for lane in range(32):
        rows = [2 * (lane % 4) + r for r in (0, 1, 8, 9)]
        own = [16 * r + lane // 4 + 8 * block for block in (0, 1) for r in rows]
        order += [256 * tile + place for tile in range(4) for place in own]
    inner = [0, 2, 4, 6, 1, 3, 5, 7] if bits == 4 else [0, 2, 1, 3]
    order = np.array(order).reshape(-1, len(inner))[:, inner].reshape(-1)
    tiles = codes.reshape(k // 16, 16, n // 16, 16).transpose(0, 2, 1, 3)
    rows = tiles.reshape(-1, order.size)[:, order].reshape(k // 16, n * 16)
    return low_first(rows, bits)


def low_first(rows, bits):
    fields = rows.reshape(rows.shape[0], -1, 32 // bits).astype(np.uint64)
    words = (fields << (bits * np.arange(32 // bits, dtype=np.uint64))).sum(axis=2)
    return words.astype(np.uint32).view(np.int32)


GROUPED = np.arange(64).reshape(8, 8).T.reshape(-1)
SINGLE = (2 * np.arange(4)[:, None] + [0, 1, 8, 9, 16, 17, 24, 25]).reshape(-1)


def in_order(matrix, order):
    return matrix.reshape(-1, order.size)[:, order].reshape(matrix.shape)


def vllm_zeros(zeros, bits):
    inner = np.array([0, 2, 4, 6, 1, 3, 5, 7] if bits == 4 else [0, 2, 1, 3])
    return low_first(in_order(in_order(zeros, GROUPED), inner), bits)


def vllm_layer(bits, group, asymmetric, k=256, n=128):
    """(layer as the kernel takes it, exact weight, bias).

    Weights and zero points are handed on as vLLM holds them. So are grouped scales;
    those of whole columns, and the bias, are in an order of their own.
    """
    rng = np.random.default_rng(bits + group)
    groups = 1 if group == -1 else k // group
    codes = rng.integers(0, 2**bits, (k, n), np.uint8)
    scales = rng.uniform(0.5, 2, (groups, n)).astype(np.float16)
    zeros = rng.integers(0, 2**bits, (groups, n), np.uint8) if asymmetric else None
    bias = rng.standard_normal(n).astype(np.float16)

    problem = Problem(
        n=n, k=k, bits=bits, group=group, bias_dtype="f16", offset=None if asymmetric else -1
    )
    assert (problem.stored_k, problem.stored_n) == (k, n)
    qweight = vllm_weights(codes, bits)
    if group == -1:
        order = in_order(scales, SINGLE)
        s = repack_scales(order, groups, n, source="marlin_channel_scales")
    else:
        s = in_order(scales, GROUPED)
    b = repack_scales(
        in_order(bias[None, :], SINGLE), 1, n, source="marlin_channel_scales", target="row_major"
    )
    z = None if zeros is None else vllm_zeros(zeros, bits)
    weight = reference.dequantize(
        codes, scales, group, problem.offset if zeros is None else zeros
    )
    return PackedLayer("vllm", problem, qweight, s, z, b), weight, bias


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
@pytest.mark.parametrize(
    "bits, group, asymmetric, target",
    [
        (4, 128, False, "sm_80"),
        (4, 32, True, "sm_90a"),
        (4, -1, False, "sm_89"),
        (4, -1, True, "sm_80"),
        (8, 64, False, "sm_120a"),
        (8, -1, False, "sm_90a"),
    ],
)
def test_a_layer_that_vllm_repacked_runs_as_it_is(bits, group, asymmetric, target):
    layer, weight, bias = vllm_layer(bits, group, asymmetric)
    k, n = weight.shape
    assert layer.w.shape == (k // 16, n * 16 * bits // 32)
    rng = np.random.default_rng(1)
    x = np.concatenate([np.eye(k)[::37], rng.standard_normal((4, k))]).astype(np.float16)
    y = wna16.compile(layer.problem, target)(x, *layer.arrays)
    exact = reference.gemm(x, weight) + bias.astype(np.float64)
    # One row of x of 1 picks a row of the weight: its rounding and that of the sum.
    rounding = 2.0**-11 * (np.abs(x.astype(np.float64)) @ np.abs(weight) + np.abs(exact))
    assert (np.abs(y - exact) <= 1.01 * rounding).all()
