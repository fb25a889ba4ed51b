"""Products on this machine's CPU, against fp64.

Inputs are adversarial where it matters: a scale of its own for every group and column,
random zero points, outputs that hold NaN before, one row and column more than may be
written, odd M, K and N.
"""

import threading

import numpy as np
import pytest

import wna16
from wna16 import Problem, compile, host, settings, targets, toolchain
from wna16.artifact import read_record
from wna16.dtypes import numpy_dtype
from wna16.errors import DTypeError, LaunchError, ShapeError, TargetError
from wna16.pack import repack_scales, repack_weights, repack_zeros
from wna16.targets import host_cpu_target

pytestmark = [
    pytest.mark.needs_tools("wna16-compile"),
    pytest.mark.skipif(host_cpu_target() is None, reason="no code for this CPU"),
]

HALF_ULP = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}


def bit_stream(codes, bits):
    """int32 words of codes along axis 0, low bits first: [K * bits / 32, N]."""
    k, n = codes.shape
    single = (codes[:, None, :] >> np.arange(bits)[None, :, None]) & 1
    single = single.reshape(k * bits // 32, 32, n).astype(np.uint32)
    return (single << np.arange(32, dtype=np.uint32)[None, :, None]).sum(
        1, dtype=np.uint32
    ).view(np.int32)


def within(y, want, sums, k, dtype):
    """Whether fp32 sums of k + 1 terms and one rounding explain all differences."""
    bound = np.abs(want) * HALF_ULP[dtype] + (k + 4) * 2.0**-24 * sums
    if dtype == "f16":
        bound = np.maximum(bound, 2.0**-25)
    # Not "any error above": a NaN must count as wrong.
    return bool(np.all(np.abs(y.astype(np.float64) - want) <= bound))


class Layer:
    """Random operands in checkpoint order, and what they mean."""

    def __init__(self, k, n, group, bits, zeros, scale_dtype, bias_dtype, seed=0):
        rng = np.random.default_rng(seed)
        self.k, self.n, self.bits = k, n, bits
        groups = k // group
        self.codes = rng.integers(0, 1 << bits, (k, n))
        zero_bits = 4 if bits <= 4 else 8
        offset = 1 << (bits - 1)
        self.zeros = rng.integers(0, 1 << bits, (groups, n)) if zeros else None
        self.s = rng.uniform(0.004, 0.012, (groups, n)).astype(numpy_dtype(scale_dtype))
        self.bias = None
        if bias_dtype:
            self.bias = rng.standard_normal((1, n)).astype(numpy_dtype(bias_dtype))
        subtracted = np.repeat(self.zeros, group, 0) if zeros else offset
        scales = np.repeat(self.s.astype(np.float64), group, 0)
        self.weight = (self.codes - subtracted) * scales
        self.words = bit_stream(self.codes, bits)
        if zeros:
            self.zero_words = bit_stream(self.zeros.T, zero_bits).T.copy()
        layout = "#wna16.layout"
        code = f"!wna16.code<{bits}{'' if zeros else f', offset = {offset}'}>"
        self.types = {
            "w": f"tensor<{k}x{n}x{code}, {layout}<gptq>>",
            "s": f"tensor<{groups}x{n}x{scale_dtype}>",
        }
        self.arrays = {"w": self.words, "s": self.s}
        if zeros:
            self.types["z"] = (
                f"tensor<{groups}x{n}x!wna16.code<{zero_bits}>, {layout}<gptq_zeros>>"
            )
            self.arrays["z"] = self.zero_words
        if bias_dtype:
            self.types["b"] = f"tensor<1x{n}x{bias_dtype}>"
            self.arrays["b"] = self.bias

    def store(self, name, layout, array):
        """Replaces an operand by the same one in another layout."""
        plain = self.types[name].removesuffix(">").split(", #")[0]
        self.types[name] = f"{plain}, #wna16.layout<{layout}>>"
        self.arrays[name] = array

    def module(self, dtype, out_dtype, k, n):
        types = {"x": f"tensor<?x{k}x{dtype}>", **self.types}
        operands = "%x, %w, %s"
        operands += " zeros %z" if "z" in types else ""
        operands += " bias %b" if "b" in types else ""
        y = f"tensor<?x{n}x{out_dtype}>"
        arguments = ", ".join(f"%{name}: {text}" for name, text in types.items())
        return f"""func.func @layer({arguments}) -> {y} {{
  %y = wna16.gemm {operands} {{max_m = 16 : i64}} : ({", ".join(types.values())}) -> {y}
  return %y : {y}
}}"""

    def check(self, folder, m, dtype="f16", out_dtype="f16", k=None, n=None, target=None):
        k, n = k or self.k, n or self.n
        target = target or host_cpu_target()
        folder.mkdir(exist_ok=True)
        toolchain.compile_module(self.module(dtype, out_dtype, k, n), target, folder)
        record = read_record(folder / "layer.json")
        # Rows lie apart, and what lies between must not matter.
        memory = np.full((m, k + 3), np.nan, numpy_dtype(dtype))
        memory[:, :k] = np.random.default_rng(m).standard_normal((m, k))
        x = memory[:, :k]
        y = np.full((m + 1, n), np.nan, numpy_dtype(out_dtype))
        host.run(record, {"x": x, **self.arrays}, y[:m])
        assert np.isnan(y[m:].astype(np.float32)).all()
        exact = x.astype(np.float64)
        want = exact @ self.weight[:k, :n]
        sums = np.abs(exact) @ np.abs(self.weight[:k, :n])
        if self.bias is not None:
            want = want + self.bias[:, :n].astype(np.float64)
            sums = sums + np.abs(self.bias[:, :n].astype(np.float64))
        assert within(y[:m], want, sums, k, out_dtype)


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("zeros", [False, True])
def test_every_width(tmp_path, bits, zeros):
    Layer(128, 64, 32, bits, zeros, "f16", None, bits).check(tmp_path, 5)


WEIGHTS = ("marlin", "gptq", "compressed_tensors", "awq")
ZEROS = tuple(f"{name}_zeros" for name in WEIGHTS)
SCALES = ("marlin_scales", "marlin_channel_scales", "compressed_tensors_scales")
#: Of weights and of zero points, which have 4 bits or 8; AWQ's have 4.
STORAGES = [
    (bits, weights, zeros)
    for bits in range(1, 9)
    for weights in WEIGHTS
    for zeros in (None, *ZEROS)
    if (weights != "awq" or bits == 4) and (zeros != "awq_zeros" or bits <= 4)
]


@pytest.mark.needs_runtime
@pytest.mark.parametrize("bits, weights, zeros", STORAGES)
def test_every_storage(tmp_path, bits, weights, zeros):
    """Planes, streams and interleaved words, of weights and of zero points."""
    layer = Layer(160, 64, 32, bits, zeros is not None, "f16", None, bits)
    layer.store("w", weights, repack_weights(
        layer.codes.astype(np.uint8), 160, 64, source="row_major", target=weights, bits=bits
    ))  # fmt: skip
    if zeros:
        layer.store("z", zeros, repack_zeros(
            layer.zeros.astype(np.uint8), 5, 64, source="row_major", target=zeros,
            bits=4 if bits <= 4 else 8,
        ))  # fmt: skip
    scales = SCALES[bits % 3]
    layer.store("s", scales, repack_scales(layer.s, 5, 64, source="row_major", target=scales))
    layer.check(tmp_path, 5, k=150, n=60)


@pytest.mark.parametrize(
    "k, n, group", [(96, 40, 96), (96, 72, 48), (320, 136, 16), (160, 64, 80), (256, 128, 256)]
)
def test_shapes_and_groups(tmp_path, k, n, group):
    Layer(k, n, group, 4, True, "f16", "f16", k + n).check(tmp_path, 133)


@pytest.mark.parametrize(
    "dtype, scale, bias, out",
    [
        ("bf16", "bf16", "bf16", "bf16"),
        ("bf16", "f16", "f32", "f16"),
        ("f16", "bf16", None, "f32"),
    ],
)
def test_types(tmp_path, dtype, scale, bias, out):
    Layer(128, 64, 64, 4, False, scale, bias, 1).check(tmp_path, 6, dtype, out)


def test_padding_does_not_matter(tmp_path):
    """Stored rows at or beyond K and columns at or beyond N."""
    layer = Layer(192, 128, 32, 4, True, "f16", "f16", 2)
    layer.check(tmp_path / "a", 9, k=150, n=100)
    layer.check(tmp_path / "b", 2, k=5, n=1)


@pytest.mark.parametrize("target", targets.CPU_TARGETS)
def test_every_level_that_runs_here(tmp_path, target):
    if not targets.is_cpu_code_for(target, host_cpu_target()):
        pytest.skip(f"this CPU is no {target}")
    Layer(256, 128, 64, 4, True, "f16", None, 3).check(tmp_path, 11, target=target)


# ------------------------------------------------------------------ the Python interface


@pytest.fixture(scope="module")
def marlin():
    layer = Layer(256, 192, 128, 4, False, "f16", None, 7)
    w = repack_weights(layer.words, 256, 192, source="gptq")
    s = repack_scales(np.ascontiguousarray(layer.s.T), 2, 192)
    return Problem(n=192, k=256), layer, w, s


@pytest.mark.needs_runtime
def test_compile_and_call(marlin, monkeypatch):
    problem, layer, w, s = marlin
    kernel = compile(problem, "cpu")
    assert kernel.target == host_cpu_target() and "x86-64" in kernel.explain()
    assert len(kernel.records) == 1  # for every M
    kernel.prepare(10_000)
    for m in (0, 1, 4, 7, 129, 300):
        x = np.random.default_rng(m).standard_normal((m, 256)).astype(np.float16)
        y = kernel(x, w, s)
        exact = x.astype(np.float64)
        sums = np.abs(exact) @ np.abs(layer.weight)
        assert y.dtype == np.float16 and y.shape == (m, 192)
        assert within(y, exact @ layer.weight, sums, 256, "f16")
        # The same bits however it is shared, and whatever the number of rows.
        for threads in ("1", "3", "16"):
            monkeypatch.setenv("WNA16_THREADS", threads)
            assert np.array_equal(kernel(x, w, s), y)
        monkeypatch.delenv("WNA16_THREADS")
        assert np.array_equal(kernel(x[: m // 2], w, s), y[: m // 2])


@pytest.mark.needs_runtime
def test_many_threads_call(marlin):
    problem, _, w, s = marlin
    kernel = compile(problem, "cpu")
    x = np.random.default_rng(1).standard_normal((8, 16, 256)).astype(np.float16)
    want = [kernel(each, w, s) for each in x]
    got = [None] * 8

    def call(i):
        got[i] = kernel(x[i], w, s)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(got, want))


@pytest.mark.needs_runtime
def test_save_and_load(marlin, tmp_path, monkeypatch):
    problem, _, w, s = marlin
    x = np.ones((2, 256), np.float16)
    kernel = compile(problem, "cpu")
    kernel.save(tmp_path / "kernels")
    monkeypatch.setenv("WNA16_BIN", str(tmp_path))  # no compiler
    loaded = wna16.load(tmp_path / "kernels")
    assert np.array_equal(loaded(x, w, s), kernel(x, w, s))
    kernel.save(tmp_path / "broken")
    next((tmp_path / "broken").glob("*.so")).write_bytes(b"no library")
    with pytest.raises(LaunchError, match="cannot load .*so"):
        wna16.load(tmp_path / "broken")(x, w, s)


class Foreign:
    """An array of another library that says how to be read."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.mark.needs_runtime
def test_arrays_of_other_libraries(marlin):
    problem, _, w, s = marlin
    kernel = compile(problem, "cpu")
    x = np.random.default_rng(2).standard_normal((3, 256)).astype(np.float16)
    want = kernel(x, w, s)
    assert np.array_equal(kernel(Foreign(x), Foreign(w), Foreign(s)), want)
    # Elements at any address of theirs.
    odd = np.empty(3 * 256 + 1, np.float16)[1:].reshape(3, 256)
    odd[...] = x
    out = np.full((3, 192), np.nan, np.float16)
    assert kernel(odd, w, s, out=out) is out and np.array_equal(out, want)


@pytest.mark.needs_runtime
def test_torch_tensors(marlin):
    torch = pytest.importorskip("torch")
    problem, _, w, s = marlin
    kernel = compile(problem, "cpu")
    x = np.random.default_rng(2).standard_normal((3, 256)).astype(np.float16)
    y = kernel(*(torch.from_numpy(a) for a in (x, w, s)))
    assert isinstance(y, torch.Tensor)
    assert np.array_equal(y.numpy(), kernel(x, w, s))


@pytest.mark.needs_runtime
def test_arguments_that_do_not_fit(marlin, monkeypatch):
    problem, _, w, s = marlin
    kernel = compile(problem, "cpu")
    x = np.ones((2, 256), np.float16)
    with pytest.raises(DTypeError, match=r"expected x of dtype f16, found f32 \[ARG1\]"):
        kernel(x.astype(np.float32), w, s)
    with pytest.raises(ShapeError, match=r"expected x of shape .*\[ARG2\]"):
        kernel(np.ones((2, 255), np.float16), w, s)
    with pytest.raises(ShapeError, match=r"expected w to hold .*\[ARG2\]"):
        kernel(x, w[:-1], s)
    with pytest.raises(ShapeError, match=r"expected x with strides .*\[ARG3\]"):
        kernel(np.ones((256, 2), np.float16).T, w, s)
    frozen = np.empty((2, 192), np.float16)
    frozen.flags.writeable = False
    with pytest.raises(DTypeError, match=r"read-only array \[ARG1\]"):
        kernel(x, w, s, out=frozen)

    class OnDevice:
        shape = (2, 256)
        __cuda_array_interface__ = {}

    with pytest.raises(DTypeError, match=r"in host memory .*\[ARG5\]"):
        kernel(OnDevice(), w, s)
    monkeypatch.setenv("WNA16_THREADS", "none")
    with pytest.raises(LaunchError, match="WNA16_THREADS"):
        settings.current()


@pytest.mark.needs_runtime
def test_code_for_a_better_cpu_is_not_run(marlin, monkeypatch):
    problem, _, w, s = marlin
    kernel = compile(problem, "x86-64-v4")
    monkeypatch.setattr(host, "host_cpu_target", lambda: "x86-64-v3")
    with pytest.raises(TargetError, match=r"compile it here with target='cpu' \[TARGET4\]"):
        kernel(np.ones((2, 256), np.float16), w, s)


def test_a_machine_without_a_known_level(monkeypatch):
    monkeypatch.setattr(targets, "host_cpu_target", lambda: None)
    with pytest.raises(TargetError, match=r"at least AVX2, FMA and F16C \[TARGET1\]"):
        targets.check_target("cpu")
