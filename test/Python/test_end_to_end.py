"""The real compiler and the real emulator, called from Python."""

import json

import numpy as np
import pytest

from wna16 import CompileError, DTypeError, Problem, ShapeError, compile
from wna16 import open as open_checkpoint
from wna16 import reference
from wna16.pack import repack_scales, repack_weights

from conftest import CHECKPOINT, LAYER

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]

#: Rounding the exact result to fp16 gives 2e-4.
TOLERANCE = 5e-4


@pytest.fixture(scope="module")
def layer():
    return open_checkpoint(CHECKPOINT).layer(LAYER).pack()


@pytest.fixture(scope="module")
def kernel(layer, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WNA16_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
        yield compile(layer.problem, "sm_90a")


def exact_weight(layer):
    p = layer.problem
    codes = reference.unpack_marlin(layer.w, p.k, p.n)
    scales = reference.unpack_marlin_scales(layer.s, p.groups, p.n)
    return reference.dequantize(codes, scales, p.group)


@pytest.mark.parametrize("m", [1, 7, 8, 9, 16])
def test_fixture_layer(kernel, layer, m):
    x = np.random.default_rng(m).standard_normal((m, layer.problem.k)).astype(np.float16)
    y = kernel(x, layer.w, layer.s)
    assert y.shape == (m, layer.problem.n) and y.dtype == np.float16
    error = reference.relative_error(y, reference.gemm(x, exact_weight(layer)))
    assert error < TOLERANCE


def test_no_rows(kernel, layer):
    y = kernel(np.zeros((0, layer.problem.k), np.float16), layer.w, layer.s)
    assert y.shape == (0, layer.problem.n)


def test_strided_x(kernel, layer):
    k = layer.problem.k
    base = np.full((9, k + 24), np.nan, np.float16)
    x = base[:, 8 : 8 + k]
    x[...] = np.random.default_rng(3).standard_normal(x.shape)
    if x.ctypes.data % 16:  # NumPy aligns to 16 bytes; a column offset of 8 keeps it
        pytest.skip("this NumPy does not align to 16 bytes")
    y = kernel(x, layer.w, layer.s)
    assert reference.relative_error(y, reference.gemm(x, exact_weight(layer))) < TOLERANCE


@pytest.mark.parametrize("k_hot, n_hot", [(0, 0), (127, 63), (128, 64), (301, 200), (511, 383)])
def test_one_hot_weight(kernel, layer, k_hot, n_hot):
    """One weight is +1 step, all others 0: a wrong place shows as a moved number."""
    p = layer.problem
    codes = np.full((p.k, p.n), 8, np.int64)
    codes[k_hot, n_hot] = 9
    words = sum(codes[i::8, :].T << (4 * i) for i in range(8))
    w = repack_weights(
        np.ascontiguousarray(words).astype(np.uint32).view(np.int32),
        p.k,
        p.n,
        source="compressed_tensors",
    )
    scales = (np.arange(p.n * p.groups).reshape(p.n, p.groups) + 1).astype(np.float16)
    s = repack_scales(scales, p.groups, p.n)
    x = np.ones((2, p.k), np.float16)
    x[0] = np.arange(p.k) % 16 + 1
    x[1] = -1
    y = kernel(x, w, s)
    expected = np.zeros((2, p.n))
    scale = float(scales[n_hot, k_hot // p.group])
    expected[:, n_hot] = [np.float16((k_hot % 16 + 1) * scale), -scale]
    np.testing.assert_array_equal(y.astype(np.float64), expected)


def test_one_hot_activations_read_out_the_weight(kernel, layer):
    """Row i of x selects one row of the weight: the result is that row, exactly."""
    k = layer.problem.k
    identity = np.eye(k, dtype=np.float16)
    rows = [kernel(identity[i : i + 16], layer.w, layer.s) for i in range(0, k, 16)]
    np.testing.assert_array_equal(np.concatenate(rows), exact_weight(layer).astype(np.float16))


def test_smallest_shape():
    problem = Problem(n=64, k=128, max_m=8)
    rng = np.random.default_rng(1)
    words = rng.integers(-(2**31), 2**31, (64, 16), dtype=np.int64).astype(np.int32)
    scales = rng.uniform(0.5, 2, (64, 1)).astype(np.float16)
    x = rng.standard_normal((5, 128)).astype(np.float16)
    y = compile(problem, "sm_80")(
        x,
        repack_weights(words, 128, 64, source="compressed_tensors"),
        repack_scales(scales, 1, 64),
    )
    weight = reference.dequantize(
        reference.unpack_compressed_tensors(words, 128), scales.T, 128
    )
    assert reference.relative_error(y, reference.gemm(x, weight)) < TOLERANCE


def test_out_is_filled(kernel, layer):
    x = np.ones((2, layer.problem.k), np.float16)
    out = np.full((2, layer.problem.n), np.nan, np.float16)
    assert kernel(x, layer.w, layer.s, out=out) is out
    np.testing.assert_array_equal(out, kernel(x, layer.w, layer.s))


@pytest.mark.parametrize(
    "out, error, label",
    [
        (lambda n: np.empty((2, n), np.float32), DTypeError, "f16, found float32.*ARG1"),
        (lambda n: np.empty((2, n), ">f2"), DTypeError, "ARG1"),
        (lambda n: [[0.0] * n] * 2, DTypeError, "found list.*ARG1"),
        (lambda n: np.empty((1, n), np.float16), ShapeError, r"\[2, .*found \[1, .*ARG2"),
    ],
)
def test_out_that_does_not_fit(kernel, layer, out, error, label):
    x = np.ones((2, layer.problem.k), np.float16)
    with pytest.raises(error, match=label):
        kernel(x, layer.w, layer.s, out=out(layer.problem.n))


def test_stage_files(tmp_path, monkeypatch):
    monkeypatch.setenv("WNA16_DUMP", str(tmp_path))
    compile(Problem(n=64, k=128, max_m=8), "sm_90a")
    (folder,) = tmp_path.iterdir()
    names = sorted(p.name for p in folder.iterdir())
    expected = ["10-import.mlir", "20-schedule.mlir", "30-tile.mlir", "40-pipeline.mlir"]
    expected += ["50-lower.mlir", "60-kernel.ptx", "70-launch.json"]
    assert [n for n in names if n[0].isdigit()] == expected
    assert json.loads((folder / "70-launch.json").read_text())["format"] == "wna16-launch"


def test_emulator_fault_is_a_compile_error(layer):
    """A kernel that does not wait for its copies is caught, with the command to repeat it."""
    record = compile(layer.problem, "sm_80").records[0]
    data = json.loads(record.path.read_text())
    ptx = record.ptx.read_text()
    assert "cp.async" in ptx
    broken = record.path.parent / "broken"
    broken.mkdir()
    (broken / data["ptx"]).write_text(ptx.replace("cp.async.wait_group", "// cp.async.wait_group"))
    (broken / record.path.name).write_text(json.dumps({**data, "cubin": None}))
    from wna16.artifact import read_record
    from wna16.emulate import run

    x = np.ones((1, layer.problem.k), np.float16)
    with pytest.raises(CompileError, match="wna16-run failed"):
        run(read_record(broken / record.path.name), {"x": x, "w": layer.w, "s": layer.s})


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "out, error, text",
    [
        (read_only(np.zeros((3, 384), np.float16)), DTypeError, r"read-only array \[ARG1\]"),
        (np.zeros((3, 768), np.float16)[:, ::2], ShapeError, r"out to be contiguous.*\[ARG3\]"),
        (np.ma.zeros((3, 384), np.float16), DTypeError, r"masked array \[ARG1\]"),
    ],
)
def test_output_is_checked_before_running(kernel, layer, monkeypatch, out, error, text):
    from wna16 import emulate

    monkeypatch.setattr(emulate, "run", lambda *_: pytest.fail("the kernel ran"))
    x = np.zeros((3, layer.problem.k), np.float16)
    with pytest.raises(error, match=text):
        kernel(x, layer.w, layer.s, out=out)


def test_masked_input_is_refused(kernel, layer):
    x = np.ma.zeros((3, layer.problem.k), np.float16)
    with pytest.raises(DTypeError, match=r"x without a mask.*\[ARG1\]"):
        kernel(x, layer.w, layer.s)
