"""Humming and gemlite, where their packages can be imported.

Both are called by the functions below their layer classes, because each launch must
get another copy of the weights.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

from .candidates import PEER_TOLERANCE, Candidate, Launch, Refused
from .layer import GROUP, Layer, Weights
from .points import Point


def packed_along_k(codes: torch.Tensor) -> torch.Tensor:
    """[N, K] codes as int32 [N, K / 8], the first code in the lowest bits."""
    parts = codes.view(codes.shape[0], -1, 8)
    words = torch.zeros(parts.shape[:2], dtype=torch.int32, device=codes.device)
    for i in range(8):
        words |= parts[:, :, i].to(torch.int32) << (4 * i)
    return words


class Humming(Candidate):
    """humming-kernels; compiles a kernel per M at run time, with its own heuristics.

    * Weights are "uint4" without zero points, which means code - 8. If no code is 0,
      it stores them as sign and magnitude and takes a faster kernel: random codes have
      zeros in them, as real checkpoints do.
    * A configuration with multicast was seen to be wrong now and then in an older
      version; the check after the replays is for this.
    * The lock words of its split over K belong to the layer: shared by all copies, as
      launches of one stream never overlap.
    """

    name = "humming"

    def __init__(self) -> None:
        import humming.ops  # noqa: F401  (fails here if it cannot be used)
        from humming import __version__

        self.version = str(__version__)
        _prefer_nvrtc()
        self._layer: Any = None
        self._configs: dict[int, str] = {}

    def begin_layer(self, layer: Layer, points: list[Point]) -> None:
        """Compiles the kernels of all M at once, on all processors."""
        from humming.kernel.humming import HummingKernel
        from humming.layer import HummingLayer
        from humming.tune import get_heuristics_config

        made = HummingLayer(
            shape_n=layer.n,
            shape_k=layer.k,
            weight_config={"dtype": "uint4", "group_size": GROUP, "has_zero_point": False},
            torch_dtype=layer.element,
        ).to(layer.device)
        made.load_from_tensors(
            {"weight": packed_along_k(layer.codes), "weight_scale": layer.scales}
        )
        made.transform()
        self._layer = made
        self._text = made.humming_config.to_str()
        device = torch.cuda.current_device()
        for point in points:
            config = get_heuristics_config(made.humming_config, point.m, device=device)
            self._configs[point.m] = json.dumps(config)

        def compile_one(config: str) -> None:
            with torch.cuda.device(device):
                HummingKernel.prepare_kernels(self._text, "{}", config, device)

        with ThreadPoolExecutor() as pool:
            list(pool.map(compile_one, sorted(set(self._configs.values()))))

    def forget_layer(self) -> None:
        self._layer = None
        self._configs = {}

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        from humming import ops

        if self._layer is None:
            raise Refused("its layer could not be made")
        config, text, locks = self._configs[point.m], self._text, self._layer.locks

        def make() -> Weights:
            return {"w": self._layer.weight.data, "s": self._layer.weight_scale.data}

        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            return ops.humming_gemm(
                layer_config=text,
                compute_config="{}",
                tuning_config=config,
                inputs=x,
                weight=weights["w"],
                weight_scale=weights["s"],
                outputs=out,
                locks=locks,
            )

        about = {"config": config}
        copies = layer.copies("humming", make)
        return [Launch(self.name, copies, run, PEER_TOLERANCE[point.dtype], about=about)]


def _prefer_nvrtc() -> None:
    """Humming takes NVRTC when cuda-python is there, also if the toolkit has none."""
    from humming.utils.nvrtc import get_nvrtc_library_path

    try:
        get_nvrtc_library_path()
    except Exception:  # whatever it raises: it cannot be used
        os.environ.setdefault("HUMMING_COMPILER", "nvcc")


class Gemlite(Candidate):
    """gemlite (Triton). It tunes at run time what its tables do not have.

    It ships no table for every GPU: the one of the H100 is loaded by hand. Shapes that
    are not in it are left out, since tuning one takes minutes. Its split over K adds
    with atomics: results differ from launch to launch in the last bits.
    """

    name = "gemlite"

    def __init__(self) -> None:
        import gemlite
        import gemlite.core

        self.version = gemlite.__version__
        table = Path(gemlite.__file__).parent / "configs" / "h100.json"
        gemlite.load_config(str(table))
        # Keys are (M, N, K, group, codes per word, type).
        keys = [key for kernel in json.loads(table.read_text()).values() for key in kernel]
        self._known = {tuple(json.loads(f"[{k[1:-1]}]"))[1:5] for k in keys}

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        from gemlite import DType, GemLiteLinear, forward_functional

        if (layer.n, layer.k, GROUP, 8) not in self._known:
            raise Refused("not in its table of tuned shapes; tuning would take minutes")
        element = DType.BF16 if layer.dtype == "bf16" else DType.FP16
        linear = GemLiteLinear(
            4,
            group_size=GROUP,
            in_features=layer.k,
            out_features=layer.n,
            input_dtype=element,
            output_dtype=element,
        )

        def make() -> Weights:
            # An integer zero point: (code - 8) * scale.
            linear.pack(layer.codes, layer.scales, 8, None)
            self._meta = linear.get_meta_args()
            return {"w": linear.W_q.data, "s": linear.scales.data, "z": linear.zeros.data}

        copies = layer.copies("gemlite", make)
        meta = self._meta

        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            del out  # it makes its own
            tensors = [weights["w"], weights["s"], weights["z"]]
            return forward_functional(x, None, tensors, meta)

        return [Launch(self.name, copies, run, PEER_TOLERANCE[point.dtype])]
