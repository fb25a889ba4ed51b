"""Streams, graphs, threads: launches do not wait, allocate or disturb each other."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from layers import Layer, activations, poisoned

N, K = 4096, 4096


@pytest.fixture(scope="module")
def setup(kernel_for):
    return kernel_for(N, K), Layer(N, K), activations(16, K)


def test_repeated_runs_are_bit_equal(setup):
    kernel, layer, x = setup
    first = kernel(x, layer.w, layer.s)
    for _ in range(20):
        assert torch.equal(kernel(x, layer.w, layer.s, out=poisoned(16, N)), first)


def test_graph_replay_is_bit_equal(setup):
    kernel, layer, x = setup
    eager = kernel(x, layer.w, layer.s)
    torch.cuda.synchronize()
    out = poisoned(16, N)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(x, layer.w, layer.s, out=out)
    for _ in range(3):
        out.fill_(float("nan"))
        graph.replay()
        assert torch.equal(out, eager)


def test_first_call_inside_a_capture_is_an_error(kernel_for):
    import wna16

    kernel = wna16.Kernel(kernel_for(N, K).artifact)  # nothing loaded yet
    layer, x, out = Layer(N, K), activations(1, K), poisoned(1, N)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(wna16.LaunchError, match="kernel.prepare"):
        with torch.cuda.graph(graph):
            kernel(x, layer.w, layer.s, out=out)
    kernel.prepare(device=torch.cuda.current_device())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(x, layer.w, layer.s, out=out)
    graph.replay()
    assert torch.equal(out, kernel(x, layer.w, layer.s))


def test_two_streams(kernel_for):
    """The same kernel on two streams at once, other data on each."""
    kernel = kernel_for(N, K)
    streams = [torch.cuda.Stream() for _ in range(2)]
    data = [(Layer(N, K, seed=i), activations(1 + 15 * i, K, seed=i)) for i in range(2)]
    expected = [kernel(x, layer.w, layer.s) for layer, x in data]
    torch.cuda.synchronize()
    results = [[], []]
    for _ in range(100):
        for i, stream in enumerate(streams):
            layer, x = data[i]
            with torch.cuda.stream(stream):
                results[i].append(kernel(x, layer.w, layer.s))
    torch.cuda.synchronize()
    for i in range(2):
        assert all(torch.equal(y, expected[i]) for y in results[i])


def test_threads(setup):
    kernel, layer, x = setup
    expected = kernel(x, layer.w, layer.s)
    torch.cuda.synchronize()

    def work(_):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            y = kernel(x, layer.w, layer.s)
        stream.synchronize()
        return torch.equal(y, expected)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_launch_does_not_wait(setup):
    kernel, layer, x = setup
    out = poisoned(16, N)
    kernel(x, layer.w, layer.s, out=out)
    torch.cuda.synchronize()
    torch.cuda._sleep(400_000_000)  # about 0.2 s of GPU time
    start = time.perf_counter()
    kernel(x, layer.w, layer.s, out=out)
    launched = time.perf_counter() - start
    torch.cuda.synchronize()
    waited = time.perf_counter() - start
    assert waited > 0.1 and launched < 0.5 * waited


def test_launch_allocates_no_device_memory(setup):
    kernel, layer, x = setup
    out = poisoned(16, N)
    kernel(x, layer.w, layer.s, out=out)
    torch.cuda.synchronize()
    free = torch.cuda.mem_get_info()[0]
    allocations = torch.cuda.memory_stats()["allocation.all.allocated"]
    for _ in range(50):
        kernel(x, layer.w, layer.s, out=out)
    torch.cuda.synchronize()
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == allocations
    assert torch.cuda.mem_get_info()[0] == free


def test_runs_on_the_current_stream(setup):
    """A launch is ordered after what the caller's stream did before it."""
    kernel, layer, x = setup
    expected = kernel(x * 2, layer.w, layer.s)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        y = kernel(x * 2, layer.w, layer.s)
    stream.synchronize()
    assert torch.equal(y, expected)
