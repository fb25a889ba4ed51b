#!/usr/bin/env python3
"""Writes the checkpoints beside this file with the AutoAWQ package, on the CPU.

The package quantizes two layers without a search for scales, packs them, says what
config.json holds, and dequantizes; nothing here knows how words are packed. To run it
again:

    python3 -m venv /tmp/fixture
    /tmp/fixture/bin/pip install torch==2.15.0 transformers==5.24.0 accelerate \
        datasets safetensors==0.8.0
    /tmp/fixture/bin/pip install --no-deps --no-build-isolation autoawq==0.2.9
    CUDA_VISIBLE_DEVICES= /tmp/fixture/bin/python make.py

Folder written, with config.json, model.safetensors and expected.json: groups-of-64. The
package itself cannot pack one group per column (group_size -1).
"""

import hashlib
import json
import pathlib
import types

import torch
from awq.models._config import AwqConfig
from awq.modules.linear.gemm import WQLinear_GEMM
from awq.quantize.quantizer import AwqQuantizer
from awq.utils.packing_utils import dequantize_gemm
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = {
    "model.layers.0.mlp.down_proj": (128, 64, False),
    "model.layers.0.self_attn.q_proj": (64, 96, True),
}


def main() -> None:
    torch.manual_seed(20261201)
    for folder, group in (("groups-of-64", 64),):
        config = AwqConfig(q_group_size=group, modules_to_not_convert=["visual"])
        tensors, expected = {"visual.proj.weight": torch.randn(8, 8).half()}, {}
        for name, (k, n, bias) in LAYERS.items():
            linear = torch.nn.Linear(k, n, bias=bias, dtype=torch.float16)
            # Columns with a magnitude and a middle of their own.
            weight = torch.randn(n, k) * (torch.rand(n, 1) + 0.5) + torch.randn(n, 1)
            linear.weight.data = weight.half() * 0.1
            settings = types.SimpleNamespace(
                w_bit=config.w_bit, group_size=group, zero_point=config.zero_point
            )
            _, scales, zeros = AwqQuantizer.pseudo_quantize_tensor(settings, linear.weight.data)
            layer = WQLinear_GEMM.from_linear(
                linear, config.w_bit, group, False, scales.t().contiguous(), zeros.t().contiguous()
            )
            own = {key: value.contiguous() for key, value in layer.state_dict().items()}
            tensors |= {f"{name}.{key}": value for key, value in own.items()}
            dequantized = dequantize_gemm(
                own["qweight"], own["qzeros"], own["scales"], 4, group
            )
            rows = dequantized.T.contiguous()
            assert rows.dtype == torch.float16
            expected[name] = {
                "format": "awq",
                "k": k,
                "n": n,
                "bits": 4,
                "symmetric": False,
                "group": group,
                "scale_dtype": "f16",
                "bias": bias,
                "sha256": hashlib.sha256(rows.view(torch.int16).numpy().tobytes()).hexdigest(),
            }
        out = HERE / folder
        out.mkdir(exist_ok=True)
        save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
        whole = {"quantization_config": config.to_transformers_dict()}
        (out / "config.json").write_text(json.dumps(whole, indent=2) + "\n")
        (out / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main()
