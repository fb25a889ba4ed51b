#!/usr/bin/env python3
"""Writes the checkpoints beside this file with the GPTQModel package, on the CPU.

A toy Llama is quantized as users quantize a model, and saved. Expected weights are what
the package's own layers dequantize after loading the folder again; nothing here knows
how words are packed. To run it again:

    python3 -m venv /tmp/fixture
    /tmp/fixture/bin/pip install gptqmodel==7.7.0 torch==2.15.0 transformers==5.24.0 \
        safetensors==0.8.0 numpy==2.4.6
    CUDA_VISIBLE_DEVICES= /tmp/fixture/bin/python make.py [--expected] [FOLDER ...]

Folders written, each with config.json, quantize_config.json, model.safetensors and
expected.json:
    v1            4 bits in groups of 32, symmetric, checkpoint_format gptq; rules give
                  o_proj 8 bits in groups of 64 and leave one gate_proj alone
    v2            the same in checkpoint_format gptq_v2 without symmetry; rules give some
                  layers 2, 3 and 8 bits
    channelwise   desc_act = true with one group per column
    awq           method awq, version gemm, groups of 64
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

os.environ.setdefault("GPTQMODEL_CPU_WORKERS", "2")

import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402

import gptqmodel  # noqa: E402
from gptqmodel import BACKEND, GPTQModel, QuantizeConfig  # noqa: E402
from gptqmodel.quantization import FORMAT, METHOD  # noqa: E402
from gptqmodel.quantization.awq.utils.packing_utils import dequantize_gemm  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KEPT = ("config.json", "quantize_config.json", "model.safetensors")
WORDS = 61

FOLDERS = {
    "v1": dict(
        bits=4,
        group_size=32,
        sym=True,
        dynamic={
            r"+:.*\.o_proj": {"bits": 8, "group_size": 64},
            r"-:.*layers\.1\.mlp\.gate_proj": {},
        },
    ),
    "v2": dict(
        bits=4,
        group_size=32,
        sym=False,
        format=FORMAT.GPTQ_V2,
        dynamic={
            r"+:.*\.o_proj": {"bits": 8, "group_size": 64},
            r"+:.*\.q_proj": {"bits": 3, "group_size": 64},
            r"+:.*\.up_proj": {"bits": 2, "sym": True},
        },
    ),
    "channelwise": dict(bits=4, group_size=-1, sym=True, desc_act=True, act_group_aware=False),
    "awq": dict(bits=4, group_size=64, sym=False, method=METHOD.AWQ, format=FORMAT.GEMM),
}


def toy_model(folder: pathlib.Path) -> None:
    torch.manual_seed(20261201)
    config = LlamaConfig(
        hidden_size=128,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        vocab_size=64,
        max_position_embeddings=128,
        tie_word_embeddings=False,
        attention_bias=True,
    )
    model = LlamaForCausalLM(config).to(torch.float16)
    for parameter in model.parameters():
        if parameter.ndim == 2:  # columns with a magnitude and a middle of their own
            n = parameter.shape[0]
            magnitude = torch.rand(n, 1) + 0.5
            parameter.data = (parameter.data * magnitude + torch.randn(n, 1) * 0.01).half()
        else:
            parameter.data += torch.randn_like(parameter) * 0.1
    model.save_pretrained(folder)
    names = {f"w{i}": i for i in range(WORDS)}
    names |= {"<unk>": WORDS, "<s>": WORDS + 1, "</s>": WORDS + 2}
    tokenizer = Tokenizer(models.WordLevel(names, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="</s>",
    ).save_pretrained(folder)


def expected_layers(folder: pathlib.Path, source: pathlib.Path) -> dict:
    """What the package makes of the layers; `source` has the tokenizer."""
    config = json.loads((folder / "config.json").read_text())["quantization_config"]
    if config["quant_method"] == "awq":
        return expected_awq(folder, config["group_size"])
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "copy"
        shutil.copytree(folder, copy)
        for file in source.glob("tokenizer*"):
            shutil.copy(file, copy)
        # Zero points without symmetry are read in format gptq only if this package says
        # that it wrote them; others store them alike.
        for name in ("config.json", "quantize_config.json"):
            if (copy / name).exists():
                data = json.loads((copy / name).read_text())
                part = data.get("quantization_config", data)
                part.setdefault("meta", {}).setdefault("quantizer", ["gptqmodel:7.7.0"])
                (copy / name).write_text(json.dumps(data))
        loaded = GPTQModel.load(
            str(copy), device="cpu", dtype=torch.float16, backend=BACKEND.TORCH
        )
    result = {}
    for name, layer in loaded.model.named_modules():
        if not hasattr(layer, "qweight"):
            continue
        assert layer.scales.dtype == torch.float16
        weight = layer.dequantize_weight().to(torch.float16)
        result[name] = {
            "format": config.get("checkpoint_format", "gptq"),
            "bits": layer.bits,
            "symmetric": bool(layer.sym),
            "group": -1 if config["group_size"] == -1 else layer.group_size,
            "bias": layer.bias is not None,
            **facts(weight),
        }
    return result


def expected_awq(folder: pathlib.Path, group: int) -> dict:
    """The package's own function for AWQ's gemm version, on the stored tensors."""
    tensors = load_file(folder / "model.safetensors")
    result = {}
    for key in tensors:
        name = key.removesuffix(".qweight")
        if name != key:
            own = [tensors[f"{name}.{part}"] for part in ("qweight", "qzeros", "scales")]
            result[name] = {
                "format": "awq",
                "bits": 4,
                "symmetric": False,
                "group": group,
                "bias": f"{name}.bias" in tensors,
                **facts(dequantize_gemm(*own, 4, group)),
            }
    return result


def facts(weight: torch.Tensor) -> dict:
    """What there is to say about a dequantized weight [K, N]; its hash is of [N, K]."""
    rows = weight.T.contiguous()
    return {
        "k": rows.shape[1],
        "n": rows.shape[0],
        "scale_dtype": {torch.float16: "f16", torch.bfloat16: "bf16"}[rows.dtype],
        "sha256": hashlib.sha256(rows.view(torch.int16).numpy().tobytes()).hexdigest(),
    }


def main(names: list[str]) -> None:
    assert gptqmodel.__version__ == "7.7.0", "see the pinned versions above"
    only_expected = "--expected" in names
    names = [name for name in names if name != "--expected"] or list(FOLDERS)
    random.seed(0)
    texts = [" ".join(f"w{random.randrange(WORDS)}" for _ in range(48)) for _ in range(32)]
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "toy"
        toy_model(source)
        for name in names:
            folder = HERE / name
            if not only_expected:
                saved = pathlib.Path(scratch) / name
                model = GPTQModel.load(str(source), QuantizeConfig(**FOLDERS[name]))
                model.quantize(texts, batch_size=1)
                model.save(str(saved))
                folder.mkdir(exist_ok=True)
                for file in KEPT:
                    shutil.copy(saved / file, folder / file)
            expected = expected_layers(folder, source)
            (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
