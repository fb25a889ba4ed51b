"""Every integer format, with any number of rows."""

import formats
import numpy as np
import pytest
import torch
from layers import DTYPES, activations

ROWS = (1, 7, 16, 33, 100, 250, 600, formats.PROBLEMS[0].max_m)
OUTPUTS = {**DTYPES, "f32": torch.float32}


def to_gpu(array):
    """A NumPy array, of ml_dtypes' bfloat16 too, as a CUDA tensor."""
    if array is None:
        return None
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).cuda()
    return torch.from_numpy(array).cuda()


@pytest.mark.parametrize("problem", formats.PROBLEMS, ids=formats.name_of)
def test_format(kernel_of, problem):
    p, kernel, layer = problem, kernel_of(problem), formats.FormatLayer(problem)
    w, s, z, bias = map(to_gpu, layer.arrays)
    # Rows end in the middle of their padding, which must not be read.
    pitch = -(-p.k // 8) * 8 + 8
    memory = torch.full((max(ROWS), pitch), float("nan"), dtype=DTYPES[p.dtype], device="cuda")
    memory[:, : p.k] = activations(max(ROWS), p.k, dtype=p.dtype)
    x = memory[:, : p.k]
    exact, bound = layer.bound(x.double().cpu().numpy())
    for m in ROWS:
        out = torch.full((m + 2, p.n), float("nan"), dtype=OUTPUTS[p.out_dtype], device="cuda")
        y = kernel(x[:m], w, s, z, bias, out=out[:m])
        assert torch.isnan(out[m:]).all(), f"M = {m}: rows past the end were written"
        error = np.abs(y.double().cpu().numpy() - exact[:m])
        assert (error <= bound[:m]).all(), f"M = {m}: {error.max()} off"
        again = kernel(x[:m], w, s, z, bias, out=torch.empty_like(out)[:m])
        assert torch.equal(y, again), f"M = {m}: another result in the second run"
