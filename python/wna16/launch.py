"""Puts kernels on a GPU: loads once per device, launches many times.

A launch checks its arguments against the launch record, packs them and calls the
driver, on the caller's stream. It does not wait, and allocates nothing but the
workspace of a kernel that has one, at the first launch on a stream.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from .artifact import LaunchRecord
from .buffers import Buffer, bind, check_alignment
from .errors import LaunchError, TargetError
from .parameters import Bound, bind_parameters
from .runtime import COOPERATIVE, DEPENDENT, LaunchConfig, Runtime, TensorMapValues
from .runtime import runtime
from .targets import target_of_capability
from .workspace import Layout, workspaces

#: Distinct shapes and strides that a kernel remembers the checks of.
_MAX_PLANS = 256


@dataclass(frozen=True)
class _Plan:
    """One launch but for its addresses."""

    blocks: tuple[int, ...]
    parameters: Bound


class LoadedKernel:
    """One kernel on one device; freed with this object."""

    def __init__(self, record: LaunchRecord, device: int) -> None:
        self.record = record
        self.device = device
        self._runtime: Runtime = runtime()
        self._module = 0
        image = self._read_image()
        self._module = self._runtime.load_module(device, image)
        try:
            self._function = self._runtime.module_function(
                self._module, record.kernel, record.shared_bytes
            )
        except LaunchError:
            self.close()
            raise
        self._buffers = tuple(a for a in record.arguments if a.is_given)
        self._workspace = Layout.of(record.arguments) if record.workspace_bytes else None
        self.prepare()
        self._flags = COOPERATIVE if record.cooperative else 0
        self._plans: dict[tuple[object, ...], _Plan] = {}

    def _read_image(self) -> bytes:
        path = self.record.cubin or self.record.ptx
        assert path is not None  # records of CPUs do not come here
        if self.record.cubin is not None:
            found = self._runtime.device(self.device).capability
            if target_of_capability(*found) != self.record.target:
                raise TargetError(
                    f"kernel {self.record.kernel} was compiled for "
                    f"{self.record.target}, device {self.device} has compute "
                    f"capability {found[0]}.{found[1]}; compile it for "
                    f"{target_of_capability(*found)} [TARGET3]"
                )
        try:
            return path.read_bytes()
        except OSError as error:
            raise LaunchError(f"cannot read {path}: {error.strerror}") from None

    def prepare(self) -> None:
        """Makes sure that a launch can be captured on any stream."""
        if self._workspace is not None:
            workspaces.prepare(self._workspace, self.device)

    def close(self) -> None:
        """Frees the code; no launch of it may be in flight."""
        module, self._module = self._module, 0
        if module:
            self._runtime.unload(module)

    def launch(
        self, buffers: Mapping[str, Buffer], stream: int, overlap: bool = False
    ) -> None:
        """Checks and launches; `stream` is a CUstream as a number (0: default).

        With `overlap`, a kernel that was compiled for it may start before the one in
        front of it has ended; it waits for that one itself.
        """
        plan = self._plan(buffers)
        if 0 in plan.blocks:
            return
        pointers = {}
        for argument in self._buffers:
            buffer = buffers[argument.name]
            check_alignment(argument, buffer)
            pointers[argument.name] = buffer.pointer
        if self._workspace is not None:
            pointers.update(workspaces.get(self._workspace, self.device, stream))
        config = LaunchConfig(
            plan.blocks,
            self.record.block,
            self.record.cluster,
            self.record.shared_bytes,
            self._flags | (DEPENDENT if overlap and self.record.dependent_launch else 0),
            stream,
        )
        bound = plan.parameters
        packed = bound.fill(pointers, self._encode)
        self._runtime.launch(self._function, config, packed, bound.offsets)

    def _encode(self, values: TensorMapValues) -> bytes:
        return self._runtime.encode_tensor_map(self._function, values)

    def _plan(self, buffers: Mapping[str, Buffer]) -> _Plan:
        """What a launch derives from everything but the addresses; remembered."""
        key = tuple([(n, b.shape, b.strides, b.dtype, b.device) for n, b in buffers.items()])
        plan = self._plans.get(key)
        if plan is None:
            plan = self._make_plan(buffers)
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _make_plan(self, buffers: Mapping[str, Buffer]) -> _Plan:
        symbols = bind(self.record, buffers)
        _check_devices(buffers, self.device)
        return _Plan(self.record.blocks(symbols), bind_parameters(self.record, symbols))


class DeviceKernels:
    """The loaded kernels of one artifact, per device; safe to use from threads."""

    def __init__(self, records: Callable[[], Iterable[LaunchRecord]]) -> None:
        #: Those that there are so far.
        self._records = records
        self._lock = threading.Lock()
        self._loaded: dict[tuple[int, str], LoadedKernel] = {}

    def prepare(self, device: int) -> None:
        """Loads every kernel onto a device, so that launches can be captured."""
        with self._lock:
            for record in self._records():
                key = (device, record.kernel)
                if key in self._loaded:
                    self._loaded[key].prepare()
                else:
                    self._loaded[key] = LoadedKernel(record, device)

    def get(self, record: LaunchRecord, device: int, stream: int) -> LoadedKernel:
        """A loaded kernel; loads all that are not yet if this one is not."""
        loaded = self._loaded.get((device, record.kernel))
        if loaded is not None:
            return loaded
        if runtime().stream_capturing(device, stream):
            raise LaunchError(
                "a kernel cannot be loaded while its stream is captured; call "
                "kernel.prepare() before the capture"
            )
        self.prepare(device)
        return self._loaded[device, record.kernel]


def _check_devices(buffers: Mapping[str, Buffer], device: int) -> None:
    for name, buffer in buffers.items():
        if buffer.device != device:
            where = "host memory" if buffer.device is None else f"device {buffer.device}"
            raise LaunchError(
                f"expected all arguments on CUDA device {device}, found {name} in "
                f"{where} [ARG5]"
            )
