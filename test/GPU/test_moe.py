"""Products of mixtures of experts, against fp64."""

import moe_layers
import numpy as np
import pytest
import torch
from moe_layers import MoeLayer, routing, tables
from test_formats import OUTPUTS, to_gpu


def launch(kernel, x, arrays, ids):
    """y, from memory full of NaN; two rows more than the kernel may write stay so."""
    p = kernel.problem
    segments, slots = tables(ids, p)
    w, s, z, bias = arrays
    out = torch.full((ids.size + 2, p.n), float("nan"), dtype=OUTPUTS[p.out_dtype], device="cuda")
    y = kernel(x, w, s, to_gpu(segments), to_gpu(slots), z, bias, out=out[: ids.size])
    assert torch.isnan(out[ids.size :]).all(), "rows past the end were written"
    return y


@pytest.mark.parametrize("problem", moe_layers.PROBLEMS, ids=moe_layers.name_of)
def test_against_fp64(moe_kernel_of, problem):
    kernel, layer = moe_kernel_of(problem), MoeLayer(problem)
    arrays = [to_gpu(array) for array in layer.arrays]
    for tokens in moe_layers.TOKENS:
        for kind in ("uniform", "dropped", "skewed", "last"):
            ids, x = routing(kind, tokens, problem, seed=tokens), layer.rows(tokens)
            exact, bound = layer.bound(x, *tables(ids, problem))
            on_gpu = to_gpu(x)
            y = launch(kernel, on_gpu, arrays, ids)
            given, where = y.double().cpu().numpy(), f"{tokens} tokens, {kind}"
            covered = ~np.isnan(exact)
            error = np.abs(given - exact)[covered]
            assert (error <= bound[covered]).all(), f"{where}: {error.max()} off"
            assert np.isnan(given[~covered]).all(), f"{where}: other rows were written"
            again = launch(kernel, on_gpu, arrays, ids)
            same = torch.equal(y.nan_to_num(7.0), again.nan_to_num(7.0))
            assert same, f"{where}: another result in the second run"


def test_no_tokens(moe_kernel_of):
    problem = moe_layers.PROBLEMS[0]
    kernel, layer = moe_kernel_of(problem), MoeLayer(problem)
    ids = np.zeros((0, problem.top_k), np.int32)
    y = launch(kernel, to_gpu(layer.rows(0)), [to_gpu(a) for a in layer.arrays], ids)
    assert y.shape == (0, problem.n)


def test_a_graph_computes_the_tables_of_its_replay(moe_kernel_of):
    """Shapes are fixed, and what the tables hold is not."""
    problem, tokens = moe_layers.PROBLEMS[0], 33
    kernel, layer = moe_kernel_of(problem), MoeLayer(problem)
    w, s, z, bias = [to_gpu(array) for array in layer.arrays]
    x = layer.rows(tokens)
    on_gpu = to_gpu(x)
    first, second = (routing(kind, tokens, problem) for kind in ("uniform", "skewed"))
    segments, slots = map(to_gpu, tables(first, problem))
    out = torch.empty((first.size, problem.n), dtype=OUTPUTS[problem.out_dtype], device="cuda")
    kernel.prepare(first.size)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(on_gpu, w, s, segments, slots, z, bias, out=out)
    for ids in (first, second):
        made = tables(ids, problem)
        for table, new in zip((segments, slots), made):
            table.copy_(to_gpu(new))
        out.fill_(float("nan"))
        graph.replay()
        exact, bound = layer.bound(x, *made)
        assert (np.abs(out.double().cpu().numpy() - exact) <= bound).all()
