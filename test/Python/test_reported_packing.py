"""Repacking takes no more memory than what goes in and what comes out.

Field reports N1, N2 and N5: lists of parts that double a layer, and copies that stay. N3
(8 bits) is in test_exact_codes.py and test_reported_layers.py, N4 (shapes that do not fit)
here. How much a process holds is the system's count, so each case is a process.
"""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from safetensors.numpy import save_file

import wna16
from wna16 import ShapeError
from wna16.pack import repack_scales, repack_weights, repack_zeros

pytestmark = pytest.mark.needs_runtime

K, N, MIB = 8192, 8192, 1 << 20
#: 4-bit codes of the layer below.
WEIGHTS = K * N // 2
#: Of buffers of threads and the rest of the process.
SLACK = 12 * MIB

MEASURE = """
    import gc, sys
    import numpy as np, wna16
    from wna16.pack import repack_weights, repack_zeros

    def held(what):  # in bytes
        lines = open("/proc/self/status").read().splitlines()
        return 1024 * int(next(l.split()[1] for l in lines if l.startswith(what)))

    repack_weights(np.zeros((16, 128), np.int32), 128, 128, source="gptq")  # loads the library
"""


def measured(code, *arguments):
    program = textwrap.dedent(MEASURE) + textwrap.dedent(code)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(number) for number in done.stdout.split()]


def test_a_repacked_matrix():
    """N1: what comes out, and no more; N5: nothing stays when it is let go."""
    peak, left = measured(
        """
        k, n = map(int, sys.argv[1:])
        words = np.ones((k // 8, n), np.int32)
        before = held("VmRSS")
        out = repack_weights(words, k, n, source="gptq")
        print(held("VmHWM") - before)
        del out
        gc.collect()
        print(held("VmRSS") - before)
        """,
        K, N,
    )  # fmt: skip
    assert WEIGHTS // 2 < peak < WEIGHTS + SLACK and left < SLACK


def test_a_layer_of_a_checkpoint(tmp_path):
    """N2: in host memory, one layer at a time: its tensors and the packed ones."""
    rng = np.random.default_rng(0)
    tensors = {}
    for layer in ("a", "b", "c"):
        words = rng.integers(-(2**31), 2**31, (K // 8, N)).astype(np.int32)
        tensors[f"{layer}.qweight"] = words
        tensors[f"{layer}.qzeros"] = np.zeros((K // 128, N // 8), np.int32)
        tensors[f"{layer}.scales"] = np.ones((K // 128, N), np.float16)
    save_file(tensors, tmp_path / "model.safetensors")
    config = dict(quant_method="gptq", bits=4, group_size=128, sym=True, desc_act=False)
    config["checkpoint_format"] = "gptq_v2"
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": config}))
    peak, left = measured(
        """
        before = held("VmRSS")
        for record in wna16.open(sys.argv[1]):
            wna16.open(sys.argv[1]).layer(record.name).pack()
        print(held("VmHWM") - before)
        gc.collect()
        print(held("VmRSS") - before)
        """,
        tmp_path,
    )
    scales = 2 * 2 * K // 128 * N
    assert peak < 2 * WEIGHTS + scales + SLACK and left < SLACK


@pytest.mark.parametrize(
    "call",
    [
        lambda: repack_weights(np.zeros((16, 100), np.int32), 128, 128, source="gptq"),
        lambda: repack_weights(np.zeros((16, 100), np.int32), 128, 100, source="gptq"),
        lambda: repack_weights(np.zeros(0, np.int32), 0, 128, source="gptq"),
        lambda: repack_scales(np.zeros((2, 100), np.float16), 2, 128, source="row_major"),
        lambda: repack_zeros(np.zeros((2, 12), np.int32), 2, 128, source="gptq_zeros"),
    ],
)
def test_sizes_that_do_not_fit(call):
    """N4: known before anything is read or written, and said by the call itself."""
    with pytest.raises((ShapeError, wna16.DTypeError), match="expected"):
        call()
