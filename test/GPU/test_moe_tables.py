"""Routing and sums of a mixture of experts on a GPU, against NumPy; and their times."""

import moe_tables
import numpy as np
import pytest
import torch
from layers import graph_microseconds
from wna16.buffers import current_stream, describe
from wna16.launch import DeviceKernels

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}


def launcher(record, arrays):
    """A function that launches on the current stream, on tensors as they are now."""
    buffers = {name: describe(array, name) for name, array in arrays.items()}
    device = torch.cuda.current_device()
    kernels = DeviceKernels(lambda: (record,))

    def launch():
        stream = current_stream(next(iter(arrays.values())))
        kernels.get(record, device, stream).launch(buffers, stream)

    launch()
    torch.cuda.synchronize()
    return launch


def arguments(ids, expert_map):
    arrays = {"ids": torch.from_numpy(ids).cuda()}
    if expert_map is not None:
        arrays["map"] = torch.from_numpy(expert_map).cuda()
    return arrays


def route_arguments(case, kind, tokens):
    """With numbers that no table has, and the tables that are right."""
    ids, expert_map = case.ids(kind, tokens), case.expert_map()
    segments, slots = case.expected(ids, expert_map)
    arrays = arguments(ids, expert_map)
    for name, table in (("segments", segments), ("slots", slots)):
        arrays[name] = torch.full(table.shape, -77, dtype=torch.int32, device="cuda")
    return arrays, {"segments": segments, "slots": slots}


def sum_arguments(case, kind, tokens):
    ids, expert_map = case.ids(kind, tokens), case.expert_map()
    h, weights = case.data(ids, expert_map)
    h = torch.from_numpy(h).to(TYPES[case.dtype])
    arrays = {"h": h.cuda(), **arguments(ids, expert_map)}
    if weights is not None:
        arrays["weights"] = torch.from_numpy(weights).cuda()
    arrays["y"] = torch.full((tokens, case.n), torch.nan, dtype=TYPES[case.out], device="cuda")
    return arrays, case.expected(h.float().numpy(), ids, expert_map, weights)


@pytest.mark.parametrize("kind", moe_tables.KINDS)
@pytest.mark.parametrize("case", moe_tables.ROUTES, ids=lambda case: case.name)
def test_route(moe_table_kernels, case, kind):
    for tokens in (0, 1, 7, 64, 300, 4096, 2**20 // case.top_k):
        arrays, expected = route_arguments(case, kind, tokens)
        launch = launcher(moe_table_kernels(case), arrays)
        for _ in range(2):
            for name, table in expected.items():
                found = arrays[name].cpu().numpy()
                np.testing.assert_array_equal(found, table, f"{name}, T {tokens}")
            launch()
            torch.cuda.synchronize()


@pytest.mark.parametrize("kind", moe_tables.KINDS)
@pytest.mark.parametrize("case", moe_tables.SUMS, ids=lambda case: case.name)
def test_sum(moe_table_kernels, case, kind):
    for tokens in (1, 7, 64, 300):
        arrays, expected = sum_arguments(case, kind, tokens)
        launcher(moe_table_kernels(case), arrays)
        found = arrays["y"].double().cpu()
        expected = torch.from_numpy(expected)
        assert not found.isnan().any()
        error = (found - expected).norm() / expected.norm().clamp(min=1e-30)
        assert error <= case.tolerance, (tokens, float(error))


def test_route_times(moe_table_kernels, capsys):
    with capsys.disabled():
        print("\nmoe_route, us")
        for case in moe_tables.TIMED_ROUTES:
            row = []
            for tokens in (1, 16, 64, 256, 1024, 4096, 65536):
                arrays, _ = route_arguments(case, "uniform", tokens)
                time = graph_microseconds(launcher(moe_table_kernels(case), arrays))
                row.append(f"T {tokens}: {time:.1f}")
            print(f"{case.name:14s} {'  '.join(row)}")


def test_sum_times(moe_table_kernels, capsys):
    with capsys.disabled():
        print("\nmoe_sum, us (bytes at 4.0 TB/s)")
        for case in moe_tables.TIMED_SUMS:
            row = []
            for tokens in (1, 16, 64, 256, 1024, 4096):
                arrays, _ = sum_arguments(case, "uniform", tokens)
                time = graph_microseconds(launcher(moe_table_kernels(case), arrays))
                size = arrays["h"].nbytes + arrays["y"].nbytes
                row.append(f"T {tokens}: {time:.1f} ({size / 4.0e6:.1f})")
            print(f"{case.name:14s} {'  '.join(row)}")
