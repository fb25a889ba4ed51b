"""What rounding costs, and bits that do not depend on M; in the emulator.

The measure is Marlin's order of rounding: scale times code rounded to 16 bits, products
summed in fp32, the sum rounded. A schedule that the compiler may choose has to be as
exact.
"""

import re

import numpy as np
import pytest

from wna16 import Problem, compile, emit, emulate, reference, toolchain
from wna16.artifact import read_record
from wna16.dtypes import numpy_dtype
from wna16.pack import repack_scales, repack_weights
from wna16.plan import plan
from wna16.targets import TARGETS

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]

#: What kernels are compiled for: as many as the largest tile has.
MOST_ROWS = 256

#: Of the exact sums that both round, some lie on the other side of a tie.
TIES = 1.02

#: Wide, square and deep layers: together they make the selector use all it has.
SHAPES = [(4096, 4096), (28672, 4096), (8192, 28672), (64, 128), (57344, 8192)]


def make_layer(n, k, dtype="f16", seed=0):
    """(w, s, exact weight, weight as Marlin rounds it); scales differ everywhere."""
    kind = numpy_dtype(dtype)
    rng = np.random.default_rng(seed)
    words = rng.integers(-(2**31), 2**31, (n, k // 8), dtype=np.int64).astype(np.int32)
    scales = rng.uniform(0.004, 0.012, (n, k // 128)).astype(kind)
    codes = reference.unpack_compressed_tensors(words, k)
    exact = reference.dequantize(codes, scales.T, 128)
    rounded = (codes - 8).astype(kind) * np.repeat(scales.T, 128, axis=0)
    assert rounded.dtype == kind
    w = repack_weights(words, k, n, source="compressed_tensors")
    return w, repack_scales(scales, k // 128, n), exact, rounded


def marlin_order(x, rounded):
    """fp32 sums of 16 products each, added one after the other; rounded once."""
    total = np.zeros((x.shape[0], rounded.shape[1]), np.float32)
    for k in range(0, x.shape[1], 16):
        a, b = x[:, k : k + 16].astype(np.float32), rounded[k : k + 16].astype(np.float32)
        total += a @ b
    return total.astype(rounded.dtype)


def error(y, exact):
    return np.sqrt(np.mean((y.astype(np.float64) - exact) ** 2) / np.mean(exact**2))


def kind_of(schedule):
    """What of a schedule decides how numbers are rounded and moved."""
    fields = dict(re.findall(r"(\w+) = (\w+)", schedule))
    keys = ("copy", "math", "scales", "split", "roles", "multicast", "blocks")
    warps_k = re.search(r"warps = \[\d+, (\d+)\]", schedule)[1]
    return (*(fields.get(key, "1") for key in keys), warps_k != "1")


def kinds(dtype):
    """One schedule of each kind that is chosen for some layer, M and target."""
    found = {}
    for target in TARGETS:
        for n, k in SHAPES:
            for invariant in (False, True):
                for chosen in plan(Problem(n=n, k=k, dtype=dtype), target, invariant):
                    found.setdefault((kind_of(chosen.schedule)), (target, chosen.schedule))
    return found.values()


def run(target, schedule, x, w, s, folder, n, k, dtype="f16"):
    text = emit.module_text(Problem(n=n, k=k, dtype=dtype), MOST_ROWS, schedule)
    toolchain.compile_module(text, target, folder)
    (path,) = folder.glob("*.json")
    return emulate.run(read_record(path), {"x": x, "w": w, "s": s})


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_no_schedule_is_less_exact_than_marlins_order(tmp_path, dtype):
    """Field report I6: what may be lost is stated, and is measured."""
    n, k, m = 512, 2048, 7
    w, s, exact, rounded = make_layer(n, k, dtype)
    rng = np.random.default_rng(1)
    inputs = {
        "centred": rng.standard_normal((m, k)),
        "positive": rng.uniform(0.1, 1, (m, k)),
        "wide": rng.standard_normal((m, k)) * 2.0 ** rng.integers(-6, 4, (m, k)),
    }
    x = np.concatenate(list(inputs.values())).astype(numpy_dtype(dtype))
    truth, marlins = reference.gemm(x, exact), marlin_order(x, rounded)
    chosen = list(kinds(dtype))
    assert len(chosen) >= 3
    for i, (target, schedule) in enumerate(chosen):
        folder = tmp_path / str(i)
        folder.mkdir()
        y = run(target, schedule, x, w, s, folder, n, k, dtype)
        for j, name in enumerate(inputs):
            rows = slice(j * m, (j + 1) * m)
            ours, limit = error(y[rows], truth[rows]), error(marlins[rows], truth[rows])
            assert ours <= TIES * limit, (target, schedule, name, ours, limit)


def test_marlins_order_is_worse_than_rounding_alone():
    """So the comparison can tell kernels apart."""
    _, _, exact, rounded = make_layer(64, 1024)
    x = np.random.default_rng(1).standard_normal((16, 1024)).astype(np.float16)
    truth = reference.gemm(x, exact)
    assert error(marlin_order(x, rounded), truth) > 1.2 * error(truth.astype(np.float16), truth)


#: A layer for which ranges of M get different orders of summation if they may.
N, K = 1024, 1024
ROWS = (1, 7, 16, 40, 130)


def rows_of_y(batch_invariant):
    w, s, _, _ = make_layer(N, K)
    x = np.random.default_rng(2).standard_normal((max(ROWS), K)).astype(np.float16)
    kernel = compile(Problem(n=N, k=K), "sm_90a", batch_invariant=batch_invariant)
    kernel.prepare(max_m=max(ROWS))
    assert len(kernel.records) > 1
    return [kernel(x[:m], w, s) for m in ROWS]


def test_batch_invariant_rows_have_the_same_bits():
    results = rows_of_y(True)
    for m, y in zip(ROWS, results):
        np.testing.assert_array_equal(y.view(np.int16), results[-1][:m].view(np.int16))


def test_otherwise_they_need_not():
    results = rows_of_y(False)
    assert any(
        (y.view(np.int16) != results[-1][:m].view(np.int16)).any()
        for m, y in zip(ROWS, results)
    )


def test_one_stream_of_products_has_the_same_bits_for_every_step(tmp_path):
    """Steps of 64 and 128, tiles of 8 and 64 rows, with one part of K."""
    w, s, _, _ = make_layer(N, K)
    x = np.random.default_rng(3).standard_normal((11, K)).astype(np.float16)
    results = []
    for tile in ((64, 8, 128), (128, 64, 64), (64, 16, 64)):
        folder = tmp_path / str(tile)
        folder.mkdir()
        schedule = (
            f"#wna16.schedule<tile = {list(tile)}, warps = [{tile[0] // 64}, 1], stages = 3, "
            "copy = cp_async, math = mma, scales = weights, split = none, roles = uniform>"
        )
        results.append(run("sm_80", schedule, x, w, s, folder, N, K).view(np.int16))
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
