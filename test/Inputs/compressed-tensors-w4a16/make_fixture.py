#!/usr/bin/env python3
"""Writes the checkpoint beside this file with the compressed-tensors package.

Nothing here knows how words are packed: the library quantizes, packs, writes
config.json and dequantizes. The tests read what it wrote. Only this script
needs torch; to run it again:

    python3 -m venv /tmp/fixture
    /tmp/fixture/bin/pip install compressed-tensors==0.20.1 torch==2.15.0 \
        safetensors==0.8.0 numpy==2.4.6
    /tmp/fixture/bin/python make_fixture.py

Files written:
    model.safetensors     down_proj (K = 512, N = 384), 4-bit symmetric, groups
                          of 128, and an lm_head that is on the ignore list
    config.json           the quantization config, as the library writes it
    expected.safetensors  for the first rows (output columns n): the original
                          weight and the library's own dequantized weight
    expected.json         SHA-256 of the library's whole dequantized weight
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

K, N, GROUP = 512, 384, 128
LAYER = "model.layers.0.mlp.down_proj"
ROWS_KEPT = 16
HERE = pathlib.Path(__file__).resolve().parent


class Model(torch.nn.Module):
    """Just enough of a transformer for the names to look like one."""

    def __init__(self) -> None:
        super().__init__()
        mlp = torch.nn.Module()
        mlp.down_proj = torch.nn.Linear(K, N, bias=False, dtype=torch.float16)
        block = torch.nn.Module()
        block.mlp = mlp
        self.model = torch.nn.Module()
        self.model.layers = torch.nn.ModuleList([block])
        self.lm_head = torch.nn.Linear(N, 8, bias=False, dtype=torch.float16)


def main() -> None:
    assert compressed_tensors.__version__ == "0.20.1", "see the pinned versions above"
    rng = np.random.default_rng(20240607)
    model = Model()

    # Every (group, column) gets its own magnitude, so that a scale read from the
    # wrong place cannot go unnoticed.
    magnitude = rng.uniform(0.02, 0.2, size=(N, K // GROUP, 1))
    weight = rng.standard_normal((N, K // GROUP, GROUP)) * magnitude
    original = torch.from_numpy(weight.reshape(N, K).astype(np.float16))
    layer = model.model.layers[0].mlp.down_proj
    layer.weight.data = original.clone()
    model.lm_head.weight.data = torch.from_numpy(
        rng.standard_normal((8, N)).astype(np.float16)
    )

    args = QuantizationArgs(
        num_bits=4, type="int", symmetric=True, strategy="group", group_size=GROUP
    )
    config = QuantizationConfig(
        config_groups={"group_0": QuantizationScheme(targets=["Linear"], weights=args)},
        ignore=["lm_head"],
    )
    apply_quantization_config(model, config)

    groups = original.reshape(N, K // GROUP, GROUP)
    scale, _ = calculate_qparams(groups.amin(-1), groups.amax(-1), args)
    layer.weight_scale.data = scale.to(torch.float16)
    layer.quantization_status = QuantizationStatus.FROZEN

    compressor = ModelCompressor.from_pretrained_model(model)
    compressor.compress_model(model)
    state = {k: v.detach().contiguous() for k, v in model.state_dict().items()}
    save_file(state, HERE / "model.safetensors", metadata={"format": "pt"})
    (HERE / "config.json").write_text('{"architectures": ["ToyForCausalLM"]}\n')
    compressor.update_config(str(HERE))

    compressor.decompress_model(model)
    dequantized = layer.weight.detach().contiguous()
    save_file(
        {
            "original": original[:ROWS_KEPT].contiguous(),
            "dequantized": dequantized[:ROWS_KEPT].contiguous(),
        },
        HERE / "expected.safetensors",
    )
    digest = hashlib.sha256(dequantized.numpy().tobytes()).hexdigest()
    expected = {
        "layer": LAYER,
        "k": K,
        "n": N,
        "group": GROUP,
        "dequantized_dtype": str(dequantized.dtype).removeprefix("torch."),
        "dequantized_shape": list(dequantized.shape),
        "dequantized_sha256": digest,
    }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")
    for name, tensor in sorted(state.items()):
        print(f"{name}: {tensor.dtype} {tuple(tensor.shape)}")


if __name__ == "__main__":
    main()
