"""python -m wna16 demo | inspect | compile | info"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from . import api, emit, inspection, reference, settings, toolchain
from .api import Kernel, resources_text
from .dtypes import FLOAT16, dtype_name, numpy_dtype
from .errors import LaunchError, Wna16Error
from .formats.layer import Layer
from .formats.reader import open as open_checkpoint
from .problem import SYMMETRIC, Problem
from .runtime import library_path, runtime
from .targets import TARGETS, check_target

#: The layer that the demo takes when none is named.
_FIXTURE = settings.SOURCE_ROOT / "test" / "Inputs" / "compressed-tensors-w4a16"
_FIXTURE_LAYER = "model.layers.0.mlp.down_proj"

_DEMO_ROWS = (1, 7, 16)
#: mean |error| / mean |expected|; rounding the exact result alone gives 2e-4 and 1.6e-3.
_TOLERANCE = {"f16": 1e-3, "bf16": 4e-3}


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status, 1 after an error of this package."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except Wna16Error as error:
        print(f"wna16: error: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wna16", description=__doc__)
    commands = parser.add_subparsers(required=True)

    demo = commands.add_parser("demo", help="one layer, from checkpoint to numbers")
    demo.add_argument("--checkpoint", type=Path, default=_FIXTURE)
    demo.add_argument("--layer", default=_FIXTURE_LAYER)
    demo.add_argument("--target", default="auto", help="auto, cpu, " + ", ".join(TARGETS))
    demo.set_defaults(run=_demo)

    look = commands.add_parser("inspect", help="a checkpoint's layers, and which compile")
    look.add_argument("checkpoint", type=Path, help="its folder, or a safetensors file")
    look.add_argument("--target", default="all", help="all, " + ", ".join(TARGETS))
    look.add_argument("--json", action="store_true", help="every layer, as JSON")
    look.set_defaults(run=_inspect)

    build = commands.add_parser("compile", help="compile a problem, print what was made")
    build.add_argument("--n", type=int, required=True, help="output features")
    build.add_argument("--k", type=int, required=True, help="input features")
    build.add_argument("--max-m", type=int, default=16, help="largest M at launch")
    build.add_argument("--bits", type=int, default=4, help="of a code, 1 to 8")
    build.add_argument("--zeros", action="store_true", help="zero points, not symmetric")
    build.add_argument("--group", type=int, default=128, help="rows of K per scale, -1: all")
    build.add_argument("--dtype", choices=FLOAT16, default="f16", help="of x, s and y")
    build.add_argument("--target", default="auto", help="auto, cpu, " + ", ".join(TARGETS))
    build.add_argument(
        "--batch-invariant", action="store_true", help="bits of a row do not depend on M"
    )
    build.set_defaults(run=_compile)

    info = commands.add_parser("info", help="which tools, libraries and GPUs are found")
    info.set_defaults(run=_info)
    return parser


def _target(name: str) -> str | None:
    return None if name == "auto" else name


def _inspect(options: argparse.Namespace) -> int:
    targets = TARGETS if options.target == "all" else (check_target(options.target),)
    checkpoint = open_checkpoint(options.checkpoint)
    if options.json:
        print(json.dumps(inspection.as_json(checkpoint, targets), indent=2))
    else:
        print(inspection.as_table(checkpoint, targets))
    return 0


def _compile(options: argparse.Namespace) -> int:
    problem = Problem(
        n=options.n,
        k=options.k,
        max_m=options.max_m,
        bits=options.bits,
        offset=None if options.zeros else SYMMETRIC,
        group=options.group,
        dtype=options.dtype,
    )
    target, invariant = _target(options.target), options.batch_invariant
    print(api.compile(problem, target, batch_invariant=invariant).explain())
    return 0


def _info(_: argparse.Namespace) -> int:
    config = settings.current()

    def line(name: str, value: Callable[[], object]) -> None:
        try:
            print(f"{name:14s} {value()}")
        except Wna16Error as error:
            print(f"{name:14s} missing: {error}")

    line("wna16-compile", lambda: toolchain.find_program("wna16-compile"))
    line("wna16-run", lambda: toolchain.find_program("wna16-run"))
    line("ptxas", lambda: toolchain.find_ptxas() or "missing: kernels stop at PTX")
    line("runtime", library_path)
    line("CUDA driver", lambda: "supports CUDA %d.%d" % runtime().driver_version())
    line("cache", lambda: config.cache_dir)
    line("dump", lambda: config.dump_dir or "off (set WNA16_DUMP to a folder)")
    try:
        for index in range(runtime().device_count()):
            device = runtime().device(index)
            major, minor = device.capability
            print(
                f"device {index:<7d} {device.name}, compute capability {major}.{minor}, "
                f"{device.multiprocessors} multiprocessors"
            )
    except LaunchError:
        pass  # the driver's line has said why
    return 0


def _demo(options: argparse.Namespace) -> int:
    clock = _Clock()
    print(f"layer    {options.layer} of {options.checkpoint}")
    layer = open_checkpoint(options.checkpoint).layer(options.layer)
    packed = layer.pack()
    p = packed.problem
    print(
        f"         {layer.record.format}, K = {p.k}, N = {p.n}, {api.weights_text(p)}; "
        f"read and packed to {p.layout} in {clock.lap()}"
    )

    kernel = api.compile(p, _target(options.target))
    took = clock.lap()
    print(f"compile  {len(kernel.records)} kernels for {kernel.target} in {took}")
    for max_m, record in kernel.artifact.kernels:
        print(f"         M <= {max_m:<2d} {resources_text(record)}")
        if record.schedule:
            print(f"                 {record.schedule}")
    _print_phases(p, kernel)
    if kernel.records[0].cubin is None:
        print("         no ptxas on this machine: PTX only, no cubin, no register counts")

    where, run = _runner(kernel)
    print(f"run      on {where}")
    weight, bias = _exact(layer)
    rng = np.random.default_rng(0)
    worst = 0.0
    for m in _DEMO_ROWS:
        x = rng.standard_normal((m, p.k)).astype(numpy_dtype(p.dtype))
        clock.lap()
        y = run(x, *packed.arrays)
        took = clock.lap()
        error = reference.relative_error(y, reference.gemm(x, weight) + bias)
        worst = max(worst, error)
        print(f"         M = {m:<3d} error against fp64 {error:.2e}   ({took})")
    if worst > _TOLERANCE[p.dtype]:
        limit = f"{_TOLERANCE[p.dtype]:.0e}"
        print(f"wna16: error: expected an error below {limit}", file=sys.stderr)
        return 1
    print("ok")
    return 0


def _print_phases(problem: Problem, kernel: Kernel) -> None:
    """What each phase of the compiler takes, without the cache."""
    for max_m, record in kernel.artifact.kernels:
        text = emit.module_text(problem, max_m, record.schedule)
        times = toolchain.phase_times(text, kernel.target)
        shown = ", ".join(f"{name} {ms:.1f}" for name, ms in times)
        print(f"phases   M <= {max_m:<2d} {shown} (ms)")


def _runner(kernel: Kernel) -> tuple[str, Callable[..., np.ndarray]]:
    """Where the demo runs, and a function on NumPy arrays that does it."""
    try:
        has_gpu = runtime().device_count() > 0
    except LaunchError:
        has_gpu = False
    if has_gpu and kernel.target == api.default_target():
        try:
            import torch
        except ImportError:
            print("         there is a GPU, but PyTorch is not installed: emulator")
        else:
            name = runtime().device(0).name

            def to_gpu(array: np.ndarray | None) -> torch.Tensor | None:
                if array is None:
                    return None
                if dtype_name(array.dtype) != "bf16":
                    return torch.from_numpy(array).cuda()
                # PyTorch does not know ml_dtypes, but the bits are the same.
                return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).cuda()

            def on_gpu(x: np.ndarray, *arrays: np.ndarray | None) -> np.ndarray:
                y = kernel(*[to_gpu(a) for a in (x, *arrays)])
                return y.view(torch.int16).cpu().numpy().view(x.dtype)

            return name, on_gpu
    return "the emulator (every check on)", kernel


def _exact(layer: Layer) -> tuple[np.ndarray, np.ndarray | float]:
    """The layer's weight and bias in fp64, read and unpacked without our packer."""
    zeros, bias = layer.zeros(), layer.bias()
    weight = reference.dequantize(
        layer.codes(),
        layer.scales(),
        layer.record.group,
        layer.record.offset if zeros is None else zeros,
    )
    return weight, 0.0 if bias is None else bias.astype(np.float64)


class _Clock:
    """Wall-clock time since the last lap, as text."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> str:
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms"
