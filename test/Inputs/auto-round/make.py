#!/usr/bin/env python3
"""Writes the checkpoints beside this file with the AutoRound package, on the CPU.

The toy Llama of ../gptqmodel/make.py is rounded (without tuning) and exported. Expected
weights are what another package, GPTQModel, dequantizes after loading the folder. To
run it again:

    python3 -m venv /tmp/fixture
    /tmp/fixture/bin/pip install auto-round==0.16.1 gptqmodel==7.7.0 torch==2.15.0 \
        transformers==5.24.0 safetensors==0.8.0 numpy==2.4.6
    CUDA_VISIBLE_DEVICES= /tmp/fixture/bin/python make.py [--expected] [FOLDER ...]

Folders written, each with config.json, quantize_config.json where the package writes
one, model.safetensors and expected.json:
    gptq-asymmetric   format auto_gptq, 4 bits, groups of 32, zero points
    gptq-mixed        format auto_gptq, 4 bits symmetric, one layer with 8 bits and one
                      not quantized
    awq               format auto_awq, 4 bits, groups of 32, zero points
"""

import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gptqmodel"))

import make as toy  # noqa: E402

import auto_round  # noqa: E402
from auto_round import AutoRound  # noqa: E402

FOLDERS = {
    "gptq-asymmetric": ("auto_gptq", dict(bits=4, group_size=32, sym=False)),
    "gptq-mixed": (
        "auto_gptq",
        dict(
            bits=4,
            group_size=32,
            sym=True,
            layer_config={
                "model.layers.0.mlp.down_proj": {"bits": 8},
                "model.layers.1.mlp.up_proj": {"bits": 16},
            },
        ),
    ),
    "awq": ("auto_awq", dict(bits=4, group_size=32, sym=False)),
}


def main(names: list[str]) -> None:
    assert auto_round.__version__ == "0.16.1", "see the pinned versions above"
    only_expected = "--expected" in names
    names = [name for name in names if name != "--expected"] or list(FOLDERS)
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "toy"
        toy.toy_model(source)
        for name in names:
            format, settings = FOLDERS[name]
            folder = HERE / name
            if not only_expected:
                rounder = AutoRound(
                    str(source), iters=0, disable_opt_rtn=True, device_map="cpu", **settings
                )
                rounder.quantize_and_save(str(pathlib.Path(scratch) / name), format=format)
                # The package adds a folder named after the settings.
                saved = next((pathlib.Path(scratch) / name).rglob("config.json")).parent
                folder.mkdir(exist_ok=True)
                for file in toy.KEPT:
                    if (saved / file).exists():
                        shutil.copy(saved / file, folder / file)
            expected = toy.expected_layers(folder, source)
            (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
