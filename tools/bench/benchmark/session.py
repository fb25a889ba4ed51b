"""One run over points: check every candidate, time them together, check again."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import torch

from .candidates import Candidate, Launch, Refused
from .layer import Layer, make_layer
from .method import Method
from .points import Point
from .results import Measured, Results, Row
from .stats import Summary
from .timing import Replayed, interleave


class DeviceLost(Exception):
    """A candidate broke the CUDA context: nothing more can run in this process."""


class Session:
    """Measures points with all candidates until a deadline."""

    def __init__(
        self,
        candidates: list[Candidate],
        method: Method,
        results: Results,
        deadline: float,
        other_rows: Callable[[Point], list[Row]],
        log: Callable[[str], None] = print,
    ) -> None:
        self._candidates = candidates
        self._method = method
        self._results = results
        self._deadline = deadline
        #: Times of programs that measure themselves, to be set beside ours.
        self._other_rows = other_rows
        self._log = log

    def run(self, points: list[Point]) -> list[Point]:
        """Measures; returns the points for which no time was left."""
        left: list[Point] = []
        for _, group in itertools.groupby(points, key=lambda p: (p.n, p.k, p.dtype)):
            of_layer = list(group)
            if time.monotonic() > self._deadline:
                left += of_layer
                continue
            layer = make_layer(of_layer)
            self._begin_layer(layer, of_layer)
            for point in of_layer:
                if time.monotonic() > self._deadline:
                    left.append(point)
                    continue
                self._measure(layer, point)
            for candidate in self._candidates:
                candidate.forget_layer()
            del layer
            torch.cuda.empty_cache()
        return left

    def _begin_layer(self, layer: Layer, points: list[Point]) -> None:
        for candidate in self._candidates:
            try:
                candidate.begin_layer(layer, points)
            except Exception as error:  # whatever another library raises
                self._log(f"{candidate.name}: cannot begin: {_first_line(error)}")
                _raise_if_lost(candidate.name, error)

    def _measure(self, layer: Layer, point: Point) -> None:
        start = time.monotonic()
        method = self._method.for_m(point.m)
        rows: dict[str, Row] = {}
        try:
            ready = self._prepare(layer, point, rows)
            summaries = interleave({n: g for n, (_, g) in ready.items()}, method)
            for name, (launch, graph) in ready.items():
                self._finish(layer, rows[name], launch, graph, summaries[name])
        finally:  # also when the device is lost: the row that did it says so
            rows.update({row.name: row for row in self._other_rows(point)})
            call = len(self._results.calls) - 1
            self._results.add(Measured(point, call, list(rows.values())))
            self._log(point_text(point, list(rows.values()), time.monotonic() - start))

    def _prepare(
        self, layer: Layer, point: Point, rows: dict[str, Row]
    ) -> dict[str, tuple[Launch, Replayed]]:
        x = layer.x[: point.m]
        ready: dict[str, tuple[Launch, Replayed]] = {}
        for candidate in self._candidates:
            try:
                launches = candidate.launches(layer, point)
            except Refused as reason:
                rows[candidate.name] = Row(candidate.name, reason=str(reason))
                continue
            except Exception as error:  # whatever another library raises
                rows[candidate.name] = Row(candidate.name, reason=_first_line(error))
                _raise_if_lost(candidate.name, error)
                continue
            for launch in launches:
                row = rows[launch.name] = Row(
                    launch.name, dependent=launch.dependent, about=launch.about
                )
                graph = self._prepare_one(layer, launch, x, row)
                if graph is not None:
                    ready[launch.name] = (launch, graph)
        return ready

    def _prepare_one(
        self, layer: Layer, launch: Launch, x: torch.Tensor, row: Row
    ) -> Replayed | None:
        """Checks a launch on the first copies and captures it."""
        out = layer.poisoned(x.shape[0])
        try:
            for weights in launch.copies[:2]:
                out.fill_(float("nan"))
                y = launch.run(weights, x, out)
                torch.cuda.synchronize()
                if launch.checked:
                    row.error = max(row.error or 0.0, layer.error(y))
            del y
            if launch.checked and not row.error < launch.tolerance:
                row.reason = f"wrong: relative error {row.error:.2e}"
                return None
            return Replayed(
                lambda i: launch.run(launch.copies[i], x, out), len(launch.copies)
            )
        except Exception as error:  # whatever another library raises
            row.reason = _first_line(error)
            _raise_if_lost(launch.name, error)
            return None

    def _finish(
        self, layer: Layer, row: Row, launch: Launch, graph: Replayed, summary: Summary
    ) -> None:
        """Once more on a poisoned result: races and stale state show after replays."""
        row.us, row.p10, row.p90 = (round(v, 4) for v in (summary.us, summary.p10, summary.p90))
        row.drift, row.samples = round(summary.drift, 4), summary.samples
        if not launch.checked:
            return
        try:
            graph.result.fill_(float("nan"))
            graph.graph.replay()
            torch.cuda.synchronize()
        except RuntimeError as error:
            row.us, row.reason = None, _first_line(error)
            _raise_if_lost(row.name, error)
            return
        row.error_after = layer.error(graph.result)
        if not row.error_after < launch.tolerance:
            row.us = None
            row.reason = f"wrong after replays: relative error {row.error_after:.2e}"


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300]


def _raise_if_lost(name: str, error: BaseException) -> None:
    text = str(error)
    if "CUDA error" in text or "illegal memory access" in text or "launch failure" in text:
        raise DeviceLost(f"{name}: {text}") from None


def point_text(point: Point, rows: list[Row], seconds: float) -> str:
    """What is printed while measuring: one line per candidate."""
    lines = [f"{point.shape} {point.n} x {point.k} M {point.m} {point.dtype} ({seconds:.1f} s)"]
    for row in sorted(rows, key=lambda r: r.us or float("inf")):
        if row.us is None:
            lines.append(f"    {row.name:34s} -  {row.reason[:120]}")
            continue
        tflops = point.flops / row.us / 1e6
        error = "" if row.error is None else f"error {row.error:.1e}"
        speed = f"{point.weight_bytes / row.us / 1e3:5.0f} GB/s {tflops:5.0f} TF"
        extra = " ".join(
            str(v) for k, v in row.about.items() if k in ("registers", "config") and v
        )
        spread = f"[{row.p10:.2f} {row.p90:.2f}]" if row.p10 and row.p90 else "[not ours]"
        lines.append(
            f"    {row.name:34s} {row.us:9.2f} us  {spread}  {speed}  "
            f"{error}  {extra}"
        )
    return "\n".join(lines)
