"""Memory that kernels write shares of sums to, and the counters of their tickets.

A stream runs one kernel after the other, and counters are zero again when a kernel has
ended, so all kernels of a stream share one workspace; two streams never do. It grows by
a new allocation: graphs that were captured go on using the old one, which is not freed.
A graph uses the workspace of the stream that it was captured on, wherever it runs: not
together with another graph of that stream, nor with launches on it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .arguments import ITEM_BYTES, Argument
from .errors import LaunchError
from .runtime import runtime

#: Addresses of allocations are multiples of it, and so are the places of buffers.
_ALIGNMENT = 256
#: The stream that is another one in every thread (CU_STREAM_PER_THREAD).
_PER_THREAD_STREAM = 2


@dataclass(frozen=True)
class Layout:
    """Where the buffers of one kernel lie: (name, place) in each of two areas."""

    shares: tuple[tuple[str, int], ...]
    counters: tuple[tuple[str, int], ...]
    #: Bytes of both areas.
    sizes: tuple[int, int]

    @staticmethod
    def of(arguments: Iterable[Argument]) -> Layout:
        places: tuple[list[tuple[str, int]], list[tuple[str, int]]] = ([], [])
        sizes = [0, 0]
        for argument in arguments:
            if argument.workspace:
                area = 1 if argument.initial == "zero" else 0
                places[area].append((argument.name, sizes[area]))
                sizes[area] += -(-_bytes(argument) // _ALIGNMENT) * _ALIGNMENT
        return Layout(tuple(places[0]), tuple(places[1]), (sizes[0], sizes[1]))


@dataclass(frozen=True)
class _Area:
    """The workspace of one stream: its address, and bytes for shares and counters."""

    address: int
    sizes: tuple[int, int]

    def fits(self, sizes: tuple[int, int]) -> bool:
        return sizes[0] <= self.sizes[0] and sizes[1] <= self.sizes[1]


class Workspaces:
    """The workspaces of all streams of all devices; safe to use from threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._areas: dict[tuple[int, int, int], _Area] = {}
        #: Per device, for a stream that is captured before it has one of its own.
        self._spare: dict[int, _Area] = {}

    def prepare(self, layout: Layout, device: int) -> None:
        """Makes a workspace ahead, for the next stream that is captured without one."""
        with self._lock:
            spare = self._spare.get(device)
            if spare is None or not spare.fits(layout.sizes):
                self._spare[device] = self._allocate(device, layout.sizes, spare)
                if spare is not None:  # no kernel has seen it
                    runtime().free(device, spare.address)

    def get(self, layout: Layout, device: int, stream: int) -> Mapping[str, int]:
        """The addresses of a kernel's buffers; allocates at a stream's first launch.

        Raises LaunchError if it would have to while the stream is captured.
        """
        thread = threading.get_ident() if stream == _PER_THREAD_STREAM else 0
        key = (device, stream, thread)
        area = self._areas.get(key)
        if area is None or not area.fits(layout.sizes):
            area = self._add(key, layout.sizes)
        addresses = {name: area.address + place for name, place in layout.shares}
        for name, place in layout.counters:
            addresses[name] = area.address + area.sizes[0] + place
        return addresses

    def _add(self, key: tuple[int, int, int], sizes: tuple[int, int]) -> _Area:
        device, stream, _ = key
        with self._lock:
            area = self._areas.get(key)
            if area is not None and area.fits(sizes):
                return area  # another thread was faster
            if runtime().stream_capturing(device, stream):
                area = self._spare.get(device)
                if area is None or not area.fits(sizes):
                    raise LaunchError(
                        "this kernel needs workspace on its stream, which cannot be "
                        "allocated while the stream is captured; call kernel.prepare() "
                        "before each capture, or launch once on the stream"
                    )
                del self._spare[device]
            else:
                area = self._allocate(device, sizes, area)
            self._areas[key] = area
            return area

    @staticmethod
    def _allocate(device: int, sizes: tuple[int, int], before: _Area | None) -> _Area:
        """No smaller than what was there, so that kernels in turn do not grow it."""
        had = before.sizes if before is not None else (0, 0)
        most = (max(sizes[0], had[0]), max(sizes[1], had[1]))
        return _Area(runtime().allocate(device, sum(most)), most)


def _bytes(argument: Argument) -> int:
    size = ITEM_BYTES[argument.dtype]
    for extent in argument.shape:
        size *= int(extent)
    return size


#: One for the process: kernels of all layers share the workspace of a stream.
workspaces = Workspaces()
