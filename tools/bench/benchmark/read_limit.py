"""The time to read as many bytes as the packed weights have, and do nothing else."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import torch

from wna16.runtime import LaunchConfig, parameter_offsets, runtime

from .candidates import Candidate, Launch, Refused
from .layer import Layer, Weights
from .method import Method
from .points import Point
from .timing import Replayed

SOURCE = Path(__file__).resolve().parents[1] / "stream_read.cu"
_UNROLLS = (4, 8)
_PER_SM = (1, 2, 4)
#: Of the kernel's parameters: three of 8 bytes.
_OFFSETS = parameter_offsets((0, 8, 16))


class ReadLimit(Candidate):
    """The kernel of stream_read.cu, compiled on this machine; for M <= 16.

    Of six grids and unrolls the best one for a layer is found first.
    """

    name = "read limit"
    max_m = 16

    def __init__(self) -> None:
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        major, minor = torch.cuda.get_device_capability()
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "stream_read.cubin"
            command = [nvcc, "-O3", "-cubin", f"-arch=sm_{major}{minor}"]
            subprocess.run([*command, str(SOURCE), "-o", str(cubin)], check=True)
            module = runtime().load_module(torch.cuda.current_device(), cubin.read_bytes())
        self._functions = {
            u: runtime().module_function(module, f"stream_read_{u}", 0) for u in _UNROLLS
        }
        self._sink = torch.zeros(1, dtype=torch.int32, device="cuda")
        self._sms = torch.cuda.get_device_properties(0).multi_processor_count
        self._best: Launch | None = None

    def forget_layer(self) -> None:
        self._best = None

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        if point.m > self.max_m:
            raise Refused(f"above M = {self.max_m} reading is not the limit")
        if self._best is None:
            count = point.weight_bytes
            copies = layer.copies("bytes", lambda: {"b": _random_bytes(count, layer.device)})
            quick = Method(rounds=1, pause_ms=0, preheat_ms=0, timed_ms=1)
            tried = [
                self._launch(copies, count, unroll, per_sm)
                for unroll in _UNROLLS
                for per_sm in _PER_SM
            ]
            out = layer.poisoned(1)
            timed = []
            for launch in tried:
                graph = Replayed(
                    lambda i, run=launch.run: run(copies[i], layer.x, out), len(copies)
                )
                timed.append(min(graph.block(quick)))
            self._best = tried[timed.index(min(timed))]
        return [self._best]

    def _launch(self, copies: list[Weights], count: int, unroll: int, per_sm: int) -> Launch:
        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            config = LaunchConfig(
                grid=(self._sms * per_sm, 1, 1),
                block=(512, 1, 1),
                cluster=(1, 1, 1),
                shared_bytes=0,
                stream=torch.cuda.current_stream().cuda_stream,
            )
            address = weights["b"].data_ptr()
            arguments = struct.pack("=3Q", address, count // 16, self._sink.data_ptr())
            runtime().launch(self._functions[unroll], config, arguments, _OFFSETS)
            return out

        about = {"config": f"unroll {unroll}, {per_sm} blocks per multiprocessor"}
        return Launch(self.name, copies, run, float("inf"), checked=False, about=about)


def _random_bytes(count: int, device: str) -> torch.Tensor:
    return torch.empty(count, dtype=torch.uint8, device=device).random_(0, 256)
