"""What `python -m wna16 inspect` shows: a checkpoint's layers, with a verdict for each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .formats.reader import QuantizedCheckpoint
from .formats.record import LayerRecord
from .problem import Verdict, supports

_COLUMNS = ("layers", "name", "format", "K", "N", "weights", "group", "scales", "bias", "order")


def verdicts(record: LayerRecord, targets: Sequence[str]) -> dict[str, Verdict]:
    """Target -> whether the layer compiles for it, and if not, why. Never raises."""
    return {target: supports(record.problem) for target in targets}


def as_json(checkpoint: QuantizedCheckpoint, targets: Sequence[str]) -> Mapping[str, Any]:
    """Everything, one entry per layer."""
    layers = [
        {
            **record.as_json(),
            "verdicts": {
                target: {"ok": verdict.ok, "reason": verdict.reason}
                for target, verdict in verdicts(record, targets).items()
            },
        }
        for record in checkpoint
    ]
    return {
        "path": str(checkpoint.path),
        "layers": layers,
        "unquantized": dict(checkpoint.unquantized),
    }


def as_table(checkpoint: QuantizedCheckpoint, targets: Sequence[str]) -> str:
    """One line per kind of layer: alike but for numbers in their names."""
    kinds: dict[tuple[Any, ...], list[LayerRecord]] = {}
    for record in checkpoint:
        kinds.setdefault((_cells(record), tuple(_said(record, targets))), []).append(record)
    rows = [(*_COLUMNS, "verdict")]
    reasons: list[str] = []
    for (cells, said), records in kinds.items():
        shown = [f"{target}: {_short(text, reasons)}" for target, text in said]
        if len({text for _, text in said}) == 1:
            shown = [_short(said[0][1], reasons)]
        rows.append((str(len(records)), *cells, "; ".join(shown)))
    lines = _aligned(rows)
    lines.append(f"for {', '.join(targets)}")
    lines += [f"[{i}] {reason}" for i, reason in enumerate(reasons, start=1)]
    plain: dict[tuple[str, str], int] = {}
    for name, why in checkpoint.unquantized.items():
        key = (_pattern(name), why)
        plain[key] = plain.get(key, 0) + 1
    lines += [f"not quantized: {count} {name}: {why}" for (name, why), count in plain.items()]
    return "\n".join(lines)


def _cells(record: LayerRecord) -> tuple[str, ...]:
    return (
        _pattern(record.name),
        record.format,
        str(record.k),
        str(record.n),
        f"{record.bits} bits {'symmetric' if record.symmetric else 'asymmetric'}",
        "per column" if record.group == -1 else str(record.group),
        record.scale_dtype,
        record.bias_dtype or "-",
        record.order,
    )


def _pattern(name: str) -> str:
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", name)


def _said(record: LayerRecord, targets: Sequence[str]) -> list[tuple[str, str]]:
    return [(t, v.reason or "ok") for t, v in verdicts(record, targets).items()]


def _short(reason: str, reasons: list[str]) -> str:
    """ok, or the number of the reason among those written below the table."""
    if reason == "ok":
        return reason
    if reason not in reasons:
        reasons.append(reason)
    return f"no [{reasons.index(reason) + 1}]"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows]
