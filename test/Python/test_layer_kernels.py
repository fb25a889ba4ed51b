"""From checkpoints that the real packages wrote to numbers, in the emulator.

Every kind of layer in test/Inputs runs once, on one of the targets. What is compared
with is the readers' own unpacking, in fp64; it knows nothing of kernels.
"""

import dataclasses
import re

import numpy as np
import pytest

import wna16
from wna16 import DTypeError, ShapeError, reference
from wna16.dtypes import numpy_dtype
from wna16.targets import TARGETS, host_cpu_target

from conftest import DOWN, INPUTS, ROOT, rules

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]

#: Half of the distance between neighbours, as a part of the number.
ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}


def kinds():
    """One layer of each format and problem, and a target for each in turn."""
    found = {}
    for path in sorted(INPUTS.rglob("config.json")):
        checkpoint = wna16.open(path.parent)
        for record in checkpoint:
            layer = checkpoint.layer(record.name)
            found.setdefault((record.format, record.problem), (path.parent, layer))
    return [
        pytest.param(layer, TARGETS[i % len(TARGETS)], id=f"{folder.name}-{layer.record.name}")
        for i, (folder, layer) in enumerate(found.values())
    ]


def exact_weight(layer):
    zeros = layer.zeros()
    return reference.dequantize(
        layer.codes(),
        layer.scales(),
        layer.record.group,
        layer.record.offset if zeros is None else zeros,
    )


def exact(layer, x):
    """The result in fp64, and how far rounding may move a kernel's.

    Weights are rounded to x's type, the sum to y's; scales that are of another type
    than x are rounded once more.
    """
    weight, bias = exact_weight(layer), layer.bias()
    y = reference.gemm(x, weight) + (0 if bias is None else bias.astype(np.float64))
    return y, np.abs(x.astype(np.float64)) @ np.abs(weight)


def check(y, layer, x, problem):
    wanted, size = exact(layer, x)
    assert y.shape == (len(x), problem.n) and y.dtype == numpy_dtype(problem.out_dtype)
    mixed = problem.scale_dtype != problem.dtype
    bound = (1 + mixed) * ROUNDING[problem.dtype] * size
    # 2e-6: fp32 sums of a few hundred products.
    bound += ROUNDING[problem.out_dtype] * (np.abs(wanted) + bound) + 2e-6 * size
    assert (np.abs(y.astype(np.float64) - wanted) <= bound).all()


@pytest.mark.parametrize("layer, target", kinds())
def test_layer(layer, target):
    packed = layer.pack()
    p = packed.problem
    rng = np.random.default_rng(p.k)
    # Rows of the identity read the weight out. Together no multiple of a tile's rows.
    picked = rng.permutation(p.k)[:61]
    rows = np.concatenate([rng.standard_normal((6, p.k)), np.eye(p.k)[picked]])
    x = rows.astype(numpy_dtype(p.dtype))
    y = wna16.compile(p, target)(x, *packed.arrays)
    check(y, layer, x, p)
    if packed.bias is None:
        np.testing.assert_array_equal(y[6:], exact_weight(layer)[picked].astype(y.dtype))


def test_every_format_and_width_is_there():
    layers = [param.values[0].record for param in kinds()]
    assert {r.format for r in layers} == {"gptq", "gptq_v2", "awq", "compressed-tensors"}
    assert {r.bits for r in layers} == set(range(1, 9))
    assert {(r.format, r.symmetric) for r in layers} >= {("gptq", False), ("gptq_v2", True)}
    assert {r.bias_dtype for r in layers} >= {None, "f16", "bf16"}
    assert {r.group for r in layers} >= {-1, 16, 32, 64, 128}


@pytest.fixture(scope="module")
def asymmetric():
    """(layer, packed) with zero points and a bias, K and N padded."""
    checkpoint = wna16.open(INPUTS / "autoawq" / "groups-of-64")
    layer = checkpoint.layer("model.layers.0.self_attn.q_proj")
    packed = layer.pack()
    p = packed.problem
    assert p.has_zeros and p.bias_dtype and p.stored_n > p.n and p.stored_k > p.k
    return layer, packed


@pytest.fixture(scope="module")
def kernel(asymmetric, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WNA16_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
        yield wna16.compile(asymmetric[1].problem, "sm_90a")


@pytest.mark.parametrize("dtype, out_dtype", [("bf16", None), ("f16", "f32"), ("bf16", "f32")])
def test_activations_and_results_of_another_type(asymmetric, dtype, out_dtype):
    layer, _ = asymmetric
    packed = layer.pack(dtype=dtype)
    problem = dataclasses.replace(packed.problem, out_dtype=out_dtype)
    x = np.random.default_rng(0).standard_normal((3, problem.k)).astype(numpy_dtype(dtype))
    y = wna16.compile(problem, "sm_80")(x, *packed.arrays)
    check(y, layer, x, problem)


@pytest.mark.parametrize("m", [0, 1, 17])
def test_rows(asymmetric, kernel, m):
    layer, packed = asymmetric
    x = np.random.default_rng(m).standard_normal((m, packed.problem.k)).astype(np.float16)
    check(kernel(x, *packed.arrays), layer, x, packed.problem)


@pytest.mark.skipif(host_cpu_target() is None, reason="no code for this machine's CPU")
@pytest.mark.parametrize(
    "folder, name",
    [
        ("autoawq/groups-of-64", "model.layers.0.self_attn.q_proj"),
        ("gptqmodel/v2", "model.layers.0.self_attn.q_proj"),
        ("compressed-tensors-widths", "b3z"),
        ("compressed-tensors-widths", "b6"),
    ],
)
def test_on_the_cpu(folder, name):
    layer = wna16.open(INPUTS / folder).layer(name)
    packed = layer.pack()
    p = packed.problem
    x = np.random.default_rng(0).standard_normal((5, p.k)).astype(numpy_dtype(p.dtype))
    check(wna16.compile(p, "cpu")(x, *packed.arrays), layer, x, p)


@pytest.mark.parametrize("target", ["sm_89", "sm_90a"])
def test_a_last_group_that_is_a_part_of_one(edit, target):
    """GPTQ's row k has scale k // group; 192 rows have one group of 128 and a half."""

    def change(tensors):
        for name in list(tensors):
            if "o_proj" in name:  # these have 8 bits
                del tensors[name]
            elif "down_proj" in name and name.endswith(("scales", "qzeros")):
                tensors[name] = tensors[name][:2].copy()
            elif "down_proj" in name and name.endswith("g_idx"):
                tensors[name] = (np.arange(192) // 128).astype(np.int32)

    def config(fields):
        rules(group_size=128)(fields)
        fields.update(sym=False)

    layer = wna16.open(edit(INPUTS / "gptqmodel" / "v1", config, change)).layer(DOWN)
    packed = layer.pack()
    assert (layer.record.group, layer.record.groups, packed.problem.group) == (128, 2, 64)
    p = packed.problem
    x = np.random.default_rng(0).standard_normal((5, p.k)).astype(numpy_dtype(p.dtype))
    check(wna16.compile(p, target)(x, *packed.arrays), layer, x, p)


@pytest.mark.parametrize(
    "change, error, text",
    [
        (dict(z=None), DTypeError, r"expected zero points \(z\), found NoneType \[ARG1\]"),
        (dict(bias=None), DTypeError, r"expected a bias, found NoneType \[ARG1\]"),
        (dict(z="z"), DTypeError, r"expected z to be a NumPy array.*found str \[ARG1\]"),
        (dict(bias=[0.0]), DTypeError, r"expected b to be a NumPy array.*found list \[ARG1\]"),
        (dict(z=lambda a: a[:-1]), ShapeError, r"z to hold 32 elements \(marlin_zeros.*found 31"),
        (dict(s=lambda a: a[:-1]), ShapeError, r"s to hold 256 elements.*found 255.*\[ARG2\]"),
        (dict(w=lambda a: a[1:]), ShapeError, r"w to hold 2048 elements.*found 2047.*\[ARG2\]"),
        (dict(bias=lambda a: a[:96]), ShapeError, r"b of shape \[1, 128\], found \[1, 96\] \[ARG2\]"),
        (dict(z=lambda a: a.view(np.int8)), DTypeError, r"z of dtype i32, found i8 \[ARG1\]"),
        (dict(s=lambda a: a.astype("f4")), DTypeError, r"s of dtype f16, found f32 \[ARG1\]"),
        (dict(bias=lambda a: a.astype("f4")), DTypeError, r"b of dtype f16, found f32 \[ARG1\]"),
        (dict(bias=lambda a: a.repeat(2)[::2]), ShapeError, r"contiguous \[ARG3\]"),
    ],
)
def test_wrong_arguments(asymmetric, kernel, monkeypatch, change, error, text):
    _, packed = asymmetric
    arrays = {name: getattr(packed, name) for name in ("w", "s", "z", "bias")}
    for name, value in change.items():
        arrays[name] = value(arrays[name]) if callable(value) else value
    monkeypatch.setattr("wna16.toolchain.run_kernel", lambda *_: pytest.fail("the kernel ran"))
    with pytest.raises(error, match=text):
        kernel(np.zeros((3, packed.problem.k), np.float16), **arrays)


def test_arguments_that_the_layer_does_not_have():
    layer = wna16.open(INPUTS / "compressed-tensors-widths").layer("b8").pack()
    assert layer.z is None and layer.bias is None
    kernel = wna16.compile(layer.problem, "sm_80")
    x, extra = np.zeros((1, 128), np.float16), np.zeros(64, np.float16)
    for name, text in [("z", r"zero points \(z\)"), ("bias", "bias")]:
        with pytest.raises(DTypeError, match=rf"expected no {text}, found ndarray \[ARG1\]"):
            kernel(x, layer.w, layer.s, **{name: extra})


def test_the_readme(monkeypatch):
    """The example runs as it stands there."""
    if host_cpu_target() is None:
        pytest.skip("no code for this machine's CPU")
    [code] = re.findall(r"```python\n(import numpy.*?)```", (ROOT / "README.md").read_text(), re.S)
    monkeypatch.chdir(ROOT)
    names = {}
    exec(code, names)  # noqa: S102
    assert names["y"].shape == (7, names["layer"].problem.n)
