"""What users call: compile() and the Kernel that it returns."""

from __future__ import annotations

import logging
import os
import shlex
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from . import build, deploy, emit, emulate, host, plan
from .artifact import Artifact, LaunchRecord
from .buffers import current_stream, describe, is_torch, torch_dtype
from .dtypes import dtype_name
from .errors import CacheError, CompileError, DTypeError, LaunchError, ShapeError, TargetError
from .launch import DeviceKernels
from .moe_problem import MoeProblem
from .problem import Problem, as_int
from .runtime import runtime
from .targets import DEFAULT_TARGET, check_target, is_cpu_target, target_of_capability

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


def compile(
    problem: Problem, target: str | None = None, *, batch_invariant: bool = False
) -> Kernel:
    """Compiles the kernels of a problem for M <= problem.max_m, or takes them from the cache.

    Args:
        problem: what to compute; of a MoeProblem the result is a MoeKernel.
        target: "sm_80", "sm_90a", ...; "cpu": the CPU of this machine, or a level of
            CPUs ("x86-64-v3", "x86-64-v4"); None: the GPU of this machine.
        batch_invariant: the bits of a row of y do not depend on M. Costs time at some
            M; Kernel.explain() says how much.

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
    if is_cpu_target(target):
        if isinstance(problem, MoeProblem):
            raise TargetError(
                f"expected a GPU's target for a mixture of experts, found {target}: there "
                "are no such kernels for CPUs [TARGET5]"
            )
        ranges = plan.one_range()
    else:
        ranges = plan.plan(problem, target, batch_invariant)
    kernel = _kernel(Artifact(problem, target, (), ranges, batch_invariant))
    kernel._compile(problem.max_m)
    return kernel


def load(folder: str | Path) -> Kernel:
    """Kernels from a folder that Kernel.save() wrote; needs no compiler.

    Raises LaunchError if the folder does not hold them.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise LaunchError(f"expected the path of a folder of kernels, found {folder!r}")
    return _kernel(deploy.load(Path(folder)))


def _kernel(artifact: Artifact) -> Kernel:
    from .moe_kernel import MoeKernel  # is a Kernel, so it needs this module

    is_moe = isinstance(artifact.problem, MoeProblem)
    return MoeKernel(artifact) if is_moe else Kernel(artifact)


def _compile_one(artifact: Artifact, chosen: plan.Range) -> LaunchRecord:
    problem, target = artifact.problem, artifact.target
    text = emit.module_text(problem, chosen.max_m, chosen.schedule or None)
    name = emit.kernel_name(problem, chosen.max_m)
    return build.compiled(text, name, target)


class Kernel:
    """A compiled problem; call it with x and a packed layer's arrays to get y.

    Safe to call from several threads and on several streams at once.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self._device_kernels = DeviceKernels(lambda: self.records)
        # Held while something is compiled, so that it is compiled once.
        self._compiling = threading.Lock()

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

    def prepare(self, max_m: int | None = None, *, device: int | None = None) -> None:
        """Compiles and loads the kernels for all M <= `max_m`, ahead of launches.

        Needed before a graph capture. Kernels are compiled by processes side by side,
        and kept in the cache.

        Args:
            max_m: the largest number of rows to expect; None: problem.max_m.
            device: CUDA device to load them onto; None: device 0, if there is one.

        Raises what compile() does, LaunchError if a kernel cannot be loaded, and
        ShapeError for a `max_m` out of range.
        """
        rows = self.problem.max_m if max_m is None else as_int(max_m)
        if rows is None or rows < 1:
            raise ShapeError(
                f"expected max_m of at least 1 to prepare for, found {max_m!r} [ARG2]"
            )
        if self.artifact.ranges:
            self._compile(rows)
        else:
            self.artifact.select(rows)  # what there is has to do
        if is_cpu_target(self.target):
            for record in self.records:
                host.load(record)
            return
        if device is None:
            device = 0 if _has_device() else None
        if device is not None:
            self._device_kernels.prepare(device)

    def _compile(self, max_m: int) -> None:
        """Makes sure that every range up to the one of `max_m` has a kernel."""
        last = self.artifact.range_of(max_m)
        if last is None:
            self.artifact.select(max_m)  # raises
            return
        with self._compiling:
            present = dict(self.artifact.kernels)
            missing = [
                r
                for r in self.artifact.ranges
                if r.max_m <= last.max_m and r.max_m not in present
            ]
            self._compile_ranges(missing)

    def _compile_ranges(self, missing: list[plan.Range]) -> None:
        if not missing:
            return
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            records = pool.map(lambda r: _compile_one(self.artifact, r), missing)
            made = {r.max_m: record for r, record in zip(missing, records)}
        self.artifact = self.artifact.with_kernels(made)

    def _compile_late(self, m: int) -> LaunchRecord:
        """The kernel for an M that nothing was prepared for."""
        with self._compiling:
            record = self.artifact.select(m)
            chosen = self.artifact.range_of(m)
            if record is None and chosen is not None:
                start = time.perf_counter()
                self._compile_ranges([chosen])
                record = self.artifact.select(m)
                _log.warning(
                    "made the kernel for M <= %d (N = %d, K = %d) at a launch with M = %d, "
                    "in %.2f s; kernel.prepare(max_m=%d) does so ahead",
                    chosen.max_m,
                    self.problem.n,
                    self.problem.k,
                    m,
                    time.perf_counter() - start,
                    m,
                )
        assert record is not None
        return record

    def __call__(
        self,
        x: Any,
        w: Any,
        s: Any,
        z: Any = None,
        bias: Any = None,
        *,
        out: Any = None,
        stream: int | None = None,
        overlap: bool = False,
    ) -> Any:
        """y[M, N] = x[M, K] @ dequantize(w, s, z) + bias.

        Args:
            x: problem.dtype [M, K]; rows may lie further apart than K
                (a multiple of 8 elements), elements of a row not. 16-byte aligned.
            w: int32 words in layout problem.layout, any shape, contiguous.
            s: scales of problem.scale_dtype in layout problem.scale_layout, any shape,
                contiguous.
            z: int32 words of zero points in layout problem.zero_layout; given if and
                only if problem.has_zeros.
            bias: problem.bias_dtype [problem.stored_n], contiguous; given if and only if
                the problem has one.
            out: problem.out_dtype [M, N], contiguous; made if None (PyTorch and NumPy).
            stream: CUstream as a number; None: PyTorch's current stream, or the
                default stream for arrays of other libraries.
            overlap: lets a kernel with `dependent` in its schedule start before the
                kernel in front of it in the stream has ended. It then reads weights and
                scales at once, and all else when that kernel has ended: w and s must
                not be written by a kernel that runs just before.

        CUDA arrays are computed by the GPU without waiting for it, NumPy arrays by the
        emulator (bfloat16 is that of ml_dtypes). A kernel for a CPU takes arrays in host
        memory: NumPy's, PyTorch's, and what has __dlpack__ or __array__; it needs no
        alignment and has no stream.

        Raises:
            ShapeError, DTypeError: an argument that the kernel cannot take.
            LaunchError: no driver, wrong device, or the driver refused.
        """
        inputs = self._inputs(x, w, s, z, bias)
        return self._run(_rows(x), inputs, out, stream, overlap)

    def _run(
        self, m: int, inputs: dict[str, Any], out: Any, stream: Any, overlap: bool
    ) -> Any:
        """The product of `m` rows of y."""
        record = self.artifact.select(m)
        if is_cpu_target(self.target):
            arrays = {n: host.as_host_array(a, n) for n, a in inputs.items()}
            if isinstance(out, np.ndarray):
                _check_host_output(out, (m, self.problem.n), self.problem.out_dtype)
            if out is None:
                out = host.new_output(arrays["x"], (m, self.problem.n), self.problem.out_dtype)
            host.run(record or self._compile_late(m), arrays, out)
            return out
        if all(isinstance(a, np.ndarray) for a in inputs.values()):
            if out is not None:
                _check_host_output(out, (m, self.problem.n), self.problem.out_dtype)
            record = record or self._compile_late(m)
            y = emulate.run(record, inputs)
            if out is None:
                return y
            out[...] = y
            return out
        return self._launch(record, m, inputs, out, stream, overlap)

    def _inputs(self, x: Any, w: Any, s: Any, z: Any, bias: Any) -> dict[str, Any]:
        """The arrays by the names that launch records use."""
        inputs = {"x": x, "w": w, "s": s}
        for name, array, wanted, what in (
            ("z", z, self.problem.has_zeros, "zero points (z)"),
            ("b", bias, self.problem.bias_dtype is not None, "a bias"),
        ):
            if (array is not None) != wanted:
                raise DTypeError(
                    f"expected {what if wanted else 'no ' + what.removeprefix('a ')}, "
                    f"found {type(array).__name__} [ARG1]"
                )
            if wanted:
                inputs[name] = array
        return inputs

    def _launch(
        self,
        record: LaunchRecord | None,
        m: int,
        inputs: dict[str, Any],
        out: Any,
        stream: Any,
        overlap: bool,
    ) -> Any:
        x = inputs["x"]
        buffers = {name: describe(array, name) for name, array in inputs.items()}
        device = buffers["x"].device
        if device is None:
            raise LaunchError(
                "expected all arguments on one CUDA device (or all NumPy arrays, for "
                "the emulator), found x in host memory [ARG5]"
            )
        if out is None:
            out = _new_output(x, (m, self.problem.n), self.problem)
        buffers["y"] = describe(out, "out")
        if stream is None:
            stream = current_stream(x)
        elif as_int(stream) is None:
            raise LaunchError(
                f"expected stream to be a CUstream as a number, found {stream!r}"
            )
        if record is None:
            if runtime().stream_capturing(device, stream):
                raise LaunchError(
                    f"there is no kernel for M = {m} yet, and none can be compiled while "
                    f"the stream is captured; call kernel.prepare(max_m={m}) before the "
                    "capture"
                )
            record = self._compile_late(m)
        self._device_kernels.get(record, device, stream).launch(buffers, stream, overlap)
        return out

    def _product_text(self) -> str:
        return f"y[M, {self.problem.n}] = x[M, {self.problem.k}] @ dequantize(w)"

    def explain(self) -> str:
        """What was compiled, for people: schedules and resources per kernel."""
        p = self.problem
        lines = [
            f"{self._product_text()}, {weights_text(p)}, {p.dtype}, M <= {p.max_m}, "
            f"for {self.target}"
        ]
        ranges = {r.max_m: r for r in self.artifact.ranges}
        for max_m, record in self.artifact.kernels:
            lines.append(f"M <= {max_m}: {record.kernel}")
            if is_cpu_target(self.target):
                lines.append(f"  record     {shlex.quote(str(record.path))}")
                continue
            if max_m in ranges:
                lines.append(f"  predicted  {_predicted_text(ranges[max_m])}")
            lines.append(f"  schedule   {record.schedule or 'not recorded'}")
            lines.append(
                f"  launch     block {'x'.join(map(str, record.block))}, "
                f"{record.shared_bytes} bytes of dynamic shared memory"
            )
            lines.append(f"  resources  {resources_text(record)}")
            lines.append(f"  record     {shlex.quote(str(record.path))}")
        return "\n".join(lines)


def weights_text(p: Problem) -> str:
    """What is multiplied with, in a few words."""
    zero = "zero points" if p.has_zeros else f"offset {p.offset}"
    group = "one scale per column" if p.group == -1 else f"groups of {p.group}"
    text = f"{p.bits}-bit codes, {zero}, {group}"
    if p.scale_dtype != p.dtype:
        text += f", {p.scale_dtype} scales"
    if p.bias_dtype is not None:
        text += f", {p.bias_dtype} bias"
    if p.out_dtype != p.dtype:
        text += f", {p.out_dtype} results"
    return text


def _predicted_text(chosen: plan.Range) -> str:
    text = f"{chosen.predicted_us:.1f} us at M = {chosen.at_m}, limited by {chosen.limit}"
    if chosen.invariant_cost > 1:
        text += f"; batch invariance costs {100 * (chosen.invariant_cost - 1):.0f} %"
    return text


def _has_device() -> bool:
    try:
        return runtime().device_count() > 0
    except LaunchError:
        return False


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


def _new_output(x: Any, shape: tuple[int, int], problem: Problem) -> Any:
    if not is_torch(x):
        raise DTypeError(
            f"pass out=: an output of type {type(x).__name__} cannot be made here [ARG1]"
        )
    if problem.out_dtype == problem.dtype:
        return x.new_empty(shape)
    return x.new_empty(shape, dtype=torch_dtype(problem.out_dtype))
