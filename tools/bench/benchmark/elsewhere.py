"""Times of a kernel that cannot be run here, measured earlier together with cuBLAS.

Such a time is scaled by what cuBLAS takes now over what it took then, at the same
shape, M and type. That removes a faster or slower machine, not a different power
state; tables mark these times with a star.
"""

from __future__ import annotations

import json
from pathlib import Path

from .points import Point
from .results import Measured, Row


class Elsewhere:
    """A data file such as marlin_h200.json: name, device, provenance, columns, rows."""

    def __init__(self, path: Path) -> None:
        data = json.loads(path.read_text())
        self.name = f"{data['name']}*"
        self.device = data["device"]
        self.provenance = data["provenance"]
        entries = [dict(zip(data["columns"], row)) for row in data["rows"]]
        self._times = {
            (e["n"], e["k"], e["m"], e["dtype"]): (e["us"], e["cublas_us"]) for e in entries
        }

    def row(self, measured: Measured) -> Row | None:
        """The scaled time; None without a time then, or cuBLAS now."""
        point: Point = measured.point
        found = self._times.get((point.n, point.k, point.m, point.dtype))
        now = measured.row("cublas")
        if found is None or now is None or now.us is None:
            return None
        us, cublas_then = found
        about = {"scaled_from_us": us, "by": now.us / cublas_then}
        return Row(self.name, us=us * now.us / cublas_then, about=about)
