"""What users call: compile() and the Kernel that it returns."""

from __future__ import annotations

import logging
import os
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from . import cache, deploy, emit, emulate, settings, toolchain
from .artifact import Artifact, LaunchRecord, read_record
from .buffers import describe, is_torch
from .dtypes import dtype_name
from .errors import CacheError, CompileError, DTypeError, LaunchError, ShapeError
from .launch import DeviceKernels
from .problem import Problem, as_int
from .runtime import runtime
from .targets import DEFAULT_TARGET, check_target, target_of_capability

_log = logging.getLogger(__name__)


def default_target() -> str:
    """The target of CUDA device 0; DEFAULT_TARGET on a machine without a GPU."""
    try:
        library = runtime()
        if library.device_count() > 0:
            return target_of_capability(*library.device(0).capability)
    except LaunchError as error:
        _log.debug("no device to ask for its target: %s", error)
    return DEFAULT_TARGET


def compile(problem: Problem, target: str | None = None) -> Kernel:
    """Compiles the kernels of a problem, or takes them from the cache.

    Args:
        problem: what to compute.
        target: "sm_80", "sm_90a", ...; None: the GPU of this machine.

    Raises:
        ShapeError, DTypeError: the problem cannot be compiled.
        TargetError: an unknown target.
        CompileError: the compiler is missing or failed; ends in a command line that
            reproduces the failure.
        CacheError: the folder of compiled kernels cannot be written.
    """
    if not isinstance(problem, Problem):
        raise DTypeError(
            f"expected a wna16.Problem to compile, found {type(problem).__name__}"
        )
    problem.check()
    target = check_target(target) if target is not None else default_target()
    with ThreadPoolExecutor() as pool:
        records = list(
            pool.map(lambda m: _compile_one(problem, m, target), problem.kernel_ms())
        )
    kernels = tuple(zip(problem.kernel_ms(), records))
    return Kernel(Artifact(problem, target, kernels))


def load(folder: str | Path) -> Kernel:
    """Kernels from a folder that Kernel.save() wrote; needs no compiler.

    Raises LaunchError if the folder does not hold them.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise LaunchError(f"expected the path of a folder of kernels, found {folder!r}")
    return Kernel(deploy.load(Path(folder)))


def _compile_one(problem: Problem, max_m: int, target: str) -> LaunchRecord:
    text = emit.module_text(problem, max_m)
    name = emit.kernel_name(problem, max_m)
    config = settings.current()
    dump_dir = config.dump_dir / f"{name}_{target}" if config.dump_dir else None

    def build(folder: Path) -> None:
        toolchain.compile_module(text, target, folder, dump_dir=dump_dir)
        _record_in(folder)  # an output without a record must not get into the cache

    key = cache.entry_key(
        module=text, target=target, compiler=toolchain.compiler_identity()
    )
    if dump_dir is not None:
        # Stage files are written by compiling, so a cached kernel will not do.
        cache.drop(config.cache_dir, key)
    return _record_in(cache.get_or_build(config.cache_dir, key, build))


def _record_in(folder: Path) -> LaunchRecord:
    files = [p for p in folder.glob("*.json") if p.name != cache.MANIFEST]
    if len(files) != 1:
        raise CompileError(
            f"expected wna16-compile to write one launch record, found "
            f"{len(files)} in {folder}"
        )
    return read_record(files[0])


class Kernel:
    """A compiled problem; call it with x, w and s to get y.

    Safe to call from several threads and on several streams at once.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self._device_kernels = DeviceKernels(self.records)

    @property
    def problem(self) -> Problem:
        return self.artifact.problem

    @property
    def target(self) -> str:
        return self.artifact.target

    @property
    def records(self) -> tuple[LaunchRecord, ...]:
        """The launch record of every kernel, by rising M."""
        return tuple(record for _, record in self.artifact.kernels)

    def save(self, folder: str | Path) -> None:
        """Writes the kernels into a new folder, for wna16.load() on any machine.

        Raises CacheError if the folder exists or cannot be written.
        """
        if not isinstance(folder, (str, os.PathLike)):
            raise CacheError(f"expected the path of a new folder, found {folder!r}")
        deploy.save(self.artifact, Path(folder))

    def prepare(self, device: int = 0) -> None:
        """Loads the kernels onto a device; needed before a graph capture."""
        self._device_kernels.prepare(device)

    def __call__(
        self,
        x: Any,
        w: Any,
        s: Any,
        *,
        out: Any = None,
        stream: int | None = None,
        overlap: bool = False,
    ) -> Any:
        """y[M, N] = x[M, K] @ dequantize(w, s).

        Args:
            x: problem.dtype [M, K], M <= problem.max_m; rows may lie further apart than K
                (a multiple of 8 elements), elements of a row not. 16-byte aligned.
            w: int32 words in layout problem.layout, any shape, contiguous.
            s: scales of problem.dtype in layout problem.scale_layout, any shape, contiguous.
            out: problem.dtype [M, N], contiguous; made if None (PyTorch and NumPy).
            stream: CUstream as a number; None: PyTorch's current stream, or the
                default stream for arrays of other libraries.
            overlap: lets a kernel with `dependent` in its schedule start before the
                kernel in front of it in the stream has ended. It then reads weights and
                scales at once, and all else when that kernel has ended: w and s must
                not be written by a kernel that runs just before.

        NumPy arrays are computed by the emulator (bfloat16 is that of ml_dtypes), CUDA
        arrays by the GPU without waiting for it.

        Raises:
            ShapeError, DTypeError: an argument that the kernel cannot take.
            LaunchError: no driver, wrong device, or the driver refused.
        """
        m = _rows(x)
        record = self.artifact.select(m)
        if all(isinstance(a, np.ndarray) for a in (x, w, s)):
            if out is not None:
                _check_host_output(out, (m, self.problem.n), self.problem.dtype)
            y = emulate.run(record, {"x": x, "w": w, "s": s})
            if out is None:
                return y
            out[...] = y
            return out
        return self._launch(record, m, x, w, s, out, stream, overlap)

    def _launch(
        self,
        record: LaunchRecord,
        m: int,
        x: Any,
        w: Any,
        s: Any,
        out: Any,
        stream: Any,
        overlap: bool,
    ) -> Any:
        buffers = {name: describe(a, name) for name, a in (("x", x), ("w", w), ("s", s))}
        device = buffers["x"].device
        if device is None:
            raise LaunchError(
                "expected all arguments on one CUDA device (or all NumPy arrays, for "
                "the emulator), found x in host memory [ARG5]"
            )
        if out is None:
            out = _new_output(x, (m, self.problem.n))
        buffers["y"] = describe(out, "out")
        if stream is None:
            stream = _current_stream(x)
        elif as_int(stream) is None:
            raise LaunchError(
                f"expected stream to be a CUstream as a number, found {stream!r}"
            )
        self._device_kernels.get(record, device, stream).launch(buffers, stream, overlap)
        return out

    def explain(self) -> str:
        """What was compiled, for people: schedules and resources per kernel."""
        p = self.problem
        lines = [
            f"y[M, {p.n}] = x[M, {p.k}] @ dequantize(w, s), {p.bits}-bit codes, groups "
            f"of {p.group}, {p.dtype}, M <= {p.max_m}, for {self.target}"
        ]
        for max_m, record in self.artifact.kernels:
            lines.append(f"M <= {max_m}: {record.kernel}")
            lines.append(f"  schedule   {record.schedule or 'not recorded'}")
            lines.append(
                f"  launch     block {'x'.join(map(str, record.block))}, "
                f"{record.shared_bytes} bytes of dynamic shared memory"
            )
            lines.append(f"  resources  {resources_text(record)}")
            lines.append(f"  record     {shlex.quote(str(record.path))}")
        return "\n".join(lines)


def resources_text(record: LaunchRecord) -> str:
    """Registers, shared memory and spills of a kernel, in one line."""
    if record.resources is None:
        return f"{record.shared_bytes} bytes shared; registers unknown (no ptxas)"
    r = record.resources
    return (
        f"{r.registers} registers, {r.spill_bytes} bytes spilled, "
        f"{record.shared_bytes + r.static_shared_bytes} bytes shared"
    )


def _rows(x: Any) -> int:
    shape = getattr(x, "shape", None)
    if shape is None or len(shape) != 2:
        found = type(x).__name__ if shape is None else f"shape {list(shape)}"
        raise DTypeError(f"expected x to be a 2-D array [M, K], found {found} [ARG1]")
    return int(shape[0])


def _check_host_output(out: Any, shape: tuple[int, int], dtype: str) -> None:
    """What launching checks for arrays on a device."""
    if not isinstance(out, np.ndarray):
        raise DTypeError(
            f"expected out to be a NumPy array like x, found {type(out).__name__} [ARG1]"
        )
    if dtype_name(out.dtype) != dtype:
        raise DTypeError(f"expected out of dtype {dtype}, found {out.dtype} [ARG1]")
    if np.ma.isMaskedArray(out):
        raise DTypeError("expected out without a mask, found a masked array [ARG1]")
    if not out.flags.writeable:
        raise DTypeError("expected out to be writable, found a read-only array [ARG1]")
    if out.shape != shape:
        raise ShapeError(
            f"expected out of shape {list(shape)}, found {list(out.shape)} [ARG2]"
        )
    if not out.flags.c_contiguous:
        raise ShapeError(
            f"expected out to be contiguous, found strides {list(out.strides)} (bytes) "
            "[ARG3]"
        )


def _new_output(x: Any, shape: tuple[int, int]) -> Any:
    if not is_torch(x):
        raise DTypeError(
            f"pass out=: an output of type {type(x).__name__} cannot be made here [ARG1]"
        )
    return x.new_empty(shape)


def _current_stream(x: Any) -> int:
    if not is_torch(x):
        return 0
    import torch

    return int(torch.cuda.current_stream(x.device).cuda_stream)
