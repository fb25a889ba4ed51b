"""Kernels whose blocks take tickets: the workspace of a stream, used again and again."""

import itertools

import numpy as np
import pytest
import torch
from layers import Layer, activations, poisoned, relative_error
from scheduled import K, MAX_M, N, TICKETS
from wna16.workspace import Layout, workspaces

#: Rounding the exact result to fp16 gives 2.1e-4, rounding scaled weights as much again.
TOLERANCE = 4e-4
ROWS = (1, 3, 7, 8, 9, 15, MAX_M)


@pytest.fixture(params=list(TICKETS))
def kernel(request, scheduled_kernel):
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("bulk and tensor copies need compute capability 9.0")
    return scheduled_kernel(request.param)


class _Memory:
    """Memory that PyTorch did not allocate, as it takes it."""

    def __init__(self, address: int, elements: int, kind: str) -> None:
        self.__cuda_array_interface__ = {
            "shape": (elements,), "typestr": kind, "data": (address, False), "version": 3,
        }  # fmt: skip


class Workspace:
    """Shares and counters of a kernel on the current stream, which has launched it."""

    def __init__(self, kernel):
        (record,) = kernel.records
        stream = torch.cuda.current_stream().cuda_stream
        found = workspaces.get(Layout.of(record.arguments), torch.cuda.current_device(), stream)
        sizes = {a.name: int(np.prod(a.shape)) for a in record.arguments if a.workspace}
        self._keep = [
            _Memory(found["shares"], sizes["shares"], "<f4"),
            _Memory(found["tickets"], sizes["tickets"], "<i4"),
        ]
        self.shares, self.tickets = (torch.as_tensor(m, device="cuda") for m in self._keep)

    def poison(self):
        """What no block has written shows."""
        self.shares.fill_(float("nan"))

    def is_reset(self) -> bool:
        return not self.tickets.any()


def test_blocks_share_k_without_a_cluster(kernel):
    """Else the tests below would be about something else."""
    (record,) = kernel.records
    assert "split = ticket" in str(record.schedule) and record.cluster == (1, 1, 1)
    assert record.workspace_bytes > 0


def test_against_fp64(kernel):
    layer, x = Layer(N, K), activations(MAX_M, K)
    exact = layer.exact(x)
    kernel(x, layer.w, layer.s)
    workspace = Workspace(kernel)
    for m in ROWS:
        # Two rows more than the kernel may write.
        out = poisoned(m + 2, N)
        workspace.poison()
        kernel(x[:m], layer.w, layer.s, out=out[:m])
        assert torch.isnan(out[m:]).all(), f"M = {m}: rows past the end were written"
        assert relative_error(out[:m], exact[:m]) < TOLERANCE, f"M = {m}"
        assert workspace.is_reset(), f"M = {m}"


def test_repeated_launches_are_bit_equal(kernel):
    layer, x = Layer(N, K), activations(MAX_M, K)
    for m in ROWS:
        first = kernel(x[:m], layer.w, layer.s)
        workspace = Workspace(kernel)
        for number in range(100):
            if number % 2:
                workspace.poison()
            out = kernel(x[:m], layer.w, layer.s, out=poisoned(m, N))
            assert torch.equal(out, first), f"M = {m}, launch {number}"


def test_launches_that_overlap_share_a_workspace(kernel):
    """They come one after the other without a pause, other data each."""
    layers = [Layer(N, K, seed=seed) for seed in range(4)]
    x = activations(MAX_M, K)
    expected = [kernel(x, layer.w, layer.s) for layer in layers]
    outputs = [poisoned(MAX_M, N) for _ in range(400)]
    torch.cuda.synchronize()
    for layer, out in zip(itertools.cycle(layers), outputs):
        kernel(x, layer.w, layer.s, out=out, overlap=True)
    for y, out in zip(itertools.cycle(expected), outputs):
        assert torch.equal(out, y)
    assert Workspace(kernel).is_reset()


def test_graph_replays_are_bit_equal(kernel):
    layer, x = Layer(N, K), activations(MAX_M, K)
    for m in (MAX_M - 3, MAX_M):
        eager = kernel(x[:m], layer.w, layer.s)
        out = poisoned(m, N)
        kernel.prepare(device=torch.cuda.current_device())
        torch.cuda.synchronize()
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        with torch.cuda.graph(graph, stream=stream):
            kernel(x[:m], layer.w, layer.s, out=out)
        with torch.cuda.stream(stream):
            workspace = Workspace(kernel)
        for number in range(200):
            out.fill_(float("nan"))
            if number % 2:
                workspace.poison()
            graph.replay()
            assert torch.equal(out, eager), f"M = {m}, replay {number}"
        assert workspace.is_reset()


def test_two_streams_at_once(kernel):
    """Other data on each, and a graph beside them."""
    data = [(Layer(N, K, seed=i), activations(MAX_M - 3 * i, K, seed=i)) for i in range(3)]
    expected = [kernel(x, layer.w, layer.s) for layer, x in data]
    kernel.prepare(device=torch.cuda.current_device())
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in data]
    layer, x = data[2]
    replayed = poisoned(x.shape[0], N)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=streams[2]):
        kernel(x, layer.w, layer.s, out=replayed)
    outputs = [[poisoned(x.shape[0], N) for _ in range(200)] for _, x in data[:2]]
    torch.cuda.synchronize()
    places = set()
    for number in range(200):
        for (layer, x), stream, out in zip(data, streams, outputs):
            with torch.cuda.stream(stream):
                kernel(x, layer.w, layer.s, out=out[number])
        with torch.cuda.stream(streams[2]):
            graph.replay()
    torch.cuda.synchronize()
    for stream in streams:
        with torch.cuda.stream(stream):
            workspace = Workspace(kernel)
            places.add(workspace.shares.data_ptr())
            assert workspace.is_reset()
    assert len(places) == 3
    for y, out in zip(expected, outputs):
        assert all(torch.equal(o, y) for o in out)
    assert torch.equal(replayed, expected[2])
