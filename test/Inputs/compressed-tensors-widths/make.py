#!/usr/bin/env python3
"""Writes the checkpoint beside this file with the compressed-tensors package.

One layer per width and kind: 1 to 8 bits, with and without zero points, groups and one
group per column, float16 and bfloat16, targets by name, by pattern and by class. The
package quantizes, packs, writes config.json and dequantizes; nothing here knows how
words are packed. To run it again:

    python3 -m venv /tmp/fixture
    /tmp/fixture/bin/pip install compressed-tensors==0.20.1 torch==2.15.0 \
        safetensors==0.8.0 numpy==2.4.6
    /tmp/fixture/bin/python make.py

Files written: model.safetensors, config.json, and expected.json with what every layer
is and the SHA-256 of the weight [N, K] as the package dequantizes it.
"""

import hashlib
import json
import pathlib

import compressed_tensors
import numpy as np
import torch
from compressed_tensors.compressors import ModelCompressor
from compressed_tensors.quantization import (
    QuantizationArgs,
    QuantizationConfig,
    QuantizationScheme,
    QuantizationStatus,
    apply_quantization_config,
)
from compressed_tensors.quantization.utils import calculate_qparams
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent

#: name -> (target, bits, symmetric, group, K, N, dtype, bias, actorder)
LAYERS = {
    "b1": ("b1", 1, False, 32, 64, 64, torch.float16, False, None),
    "b2": ("b2", 2, False, 32, 96, 64, torch.float16, False, None),
    "b3": ("re:b3$", 3, True, 32, 128, 72, torch.float16, False, None),
    "b3z": ("re:b3z$", 3, False, 64, 128, 72, torch.bfloat16, True, "static"),
    "b4": ("Linear", 4, True, 16, 64, 64, torch.bfloat16, False, None),
    "b4z": ("re:.*b4z", 4, False, 128, 256, 96, torch.float16, True, "weight"),
    "b4c": ("b4c", 4, False, -1, 72, 40, torch.float16, False, None),
    "b5z": ("b5z", 5, False, 64, 128, 64, torch.float16, False, None),
    "b6": ("b6", 6, True, -1, 80, 64, torch.float16, False, None),
    "b7z": ("b7z", 7, False, 32, 64, 64, torch.bfloat16, False, None),
    "b8": ("b8", 8, True, -1, 128, 64, torch.float16, False, None),
    "b8z": ("b8z", 8, False, 64, 64, 64, torch.float16, False, None),
}


def weight(rng: np.random.Generator, k: int, n: int, group: int) -> np.ndarray:
    """Every group and column has a magnitude and a middle of its own."""
    group = k if group == -1 else group
    shape = (n, k // group, 1)
    magnitude, middle = rng.uniform(0.02, 0.2, shape), rng.uniform(-0.1, 0.1, shape)
    values = rng.standard_normal((n, k // group, group)) * magnitude + middle
    return values.reshape(n, k)


def main() -> None:
    assert compressed_tensors.__version__ == "0.20.1", "see the pinned versions above"
    rng = np.random.default_rng(20261201)
    model = torch.nn.Module()
    groups, originals = {}, {}
    for name, (target, bits, sym, group, k, n, dtype, bias, actorder) in LAYERS.items():
        layer = torch.nn.Linear(k, n, bias=bias, dtype=dtype)
        originals[name] = torch.from_numpy(weight(rng, k, n, group)).to(dtype)
        layer.weight.data = originals[name].clone()
        if bias:
            layer.bias.data = torch.from_numpy(rng.standard_normal(n)).to(dtype)
        setattr(model, name, layer)
        args = QuantizationArgs(
            num_bits=bits,
            type="int",
            symmetric=sym,
            strategy="channel" if group == -1 else "group",
            group_size=None if group == -1 else group,
            actorder=actorder,
        )
        groups[f"group_{name}"] = QuantizationScheme(targets=[target], weights=args)
    model.lm_head = torch.nn.Linear(64, 8, bias=False, dtype=torch.float16)
    config = QuantizationConfig(config_groups=groups, ignore=["lm_head"])
    apply_quantization_config(model, config)

    for name, original in originals.items():
        layer = getattr(model, name)
        n, k = original.shape
        size = LAYERS[name][3]
        parts = original.reshape(n, -1, k if size == -1 else size)
        args = groups[f"group_{name}"].weights
        scale, zero = calculate_qparams(parts.amin(-1), parts.amax(-1), args)
        layer.weight_scale.data = scale.to(original.dtype)
        if not args.symmetric:
            layer.weight_zero_point.data = zero.to(layer.weight_zero_point.dtype)
        layer.quantization_status = QuantizationStatus.FROZEN

    compressor = ModelCompressor.from_pretrained_model(model)
    compressor.compress_model(model)
    state = {k: v.detach().contiguous() for k, v in model.state_dict().items()}
    save_file(state, HERE / "model.safetensors", metadata={"format": "pt"})
    (HERE / "config.json").write_text('{"architectures": ["ToyForCausalLM"]}\n')
    compressor.update_config(str(HERE))

    compressor.decompress_model(model)
    expected = {}
    for name, (_, bits, sym, group, k, n, dtype, bias, _) in LAYERS.items():
        dequantized = getattr(model, name).weight.detach().contiguous()
        assert dequantized.dtype == dtype
        error = (dequantized.double() - originals[name].double()).abs().max().item()
        expected[name] = {
            "format": "compressed-tensors",
            "k": k,
            "n": n,
            "bits": bits,
            "symmetric": sym,
            "group": group,
            "scale_dtype": {torch.float16: "f16", torch.bfloat16: "bf16"}[dtype],
            "bias": bias,
            "max_error": error,
            "sha256": hashlib.sha256(
                dequantized.view(torch.int16).numpy().tobytes()
            ).hexdigest(),
        }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main()
