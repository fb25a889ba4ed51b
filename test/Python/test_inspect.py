"""python -m wna16 inspect: the table, the JSON, and what it says of refused checkpoints."""

import json
import shutil

import pytest

from wna16 import cli
from wna16.targets import TARGETS

from conftest import CHECKPOINT, LAYER, ROOT

GPTQ = ROOT / "test" / "Inputs" / "gptqmodel" / "v1"


def run(capsys, *arguments):
    status = cli.main(["inspect", *map(str, arguments)])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_table(capsys):
    status, out, _ = run(capsys, GPTQ)
    lines = out.splitlines()
    assert status == 0 and lines[0].split()[:4] == ["layers", "name", "format", "K"]
    # Two layers of the model, one line; the excluded gate_proj leaves one.
    down = next(line.split() for line in lines if "mlp.down_proj" in line)
    assert down[:5] == ["2", "model.layers.*.mlp.down_proj", "gptq", "192", "128"]
    assert next(line for line in lines if "gate_proj" in line).startswith("1 ")
    o_proj = next(line for line in lines if "self_attn.o_proj" in line)
    assert "8 bits symmetric" in o_proj and " 64 " in o_proj
    assert any(line.startswith("not quantized: 1 lm_head: ") for line in lines)
    assert any("rule '-:" in line and "excludes it" in line for line in lines)


def test_verdicts(capsys):
    status, out, _ = run(capsys, CHECKPOINT, "--target", "sm_90a")
    assert status == 0 and "for sm_90a\n" in out
    assert out.splitlines()[1].endswith("ok")


def test_reasons_stand_once_below_the_table(capsys, monkeypatch):
    from wna16 import Verdict, inspection

    monkeypatch.setattr(inspection, "supports", lambda problem: Verdict(False, "too odd [X]"))
    _, out, _ = run(capsys, GPTQ)
    assert out.count("too odd [X]") == 1 and "no [1]" in out and "\n[1] too odd" in out


def test_json(capsys):
    status, out, _ = run(capsys, CHECKPOINT, "--json")
    data = json.loads(out)
    [layer] = data["layers"]
    assert status == 0 and layer["name"] == LAYER and layer["group"] == 128
    assert set(layer["verdicts"]) == set(TARGETS)
    assert all(v == {"ok": True, "reason": None} for v in layer["verdicts"].values())
    assert {t["dtype"] for t in layer["tensors"]} == {"I32", "F16", "I64"}
    assert "lm_head" in data["unquantized"]


def test_unknown_target(capsys):
    status, _, err = run(capsys, CHECKPOINT, "--target", "sm_1")
    assert status == 1 and "TARGET1" in err


def test_refused_checkpoint(capsys, tmp_path):
    folder = tmp_path / "ordered"
    shutil.copytree(CHECKPOINT, folder)
    data = json.loads((folder / "config.json").read_text())
    data["quantization_config"]["config_groups"]["group_0"]["weights"]["actorder"] = "group"
    (folder / "config.json").write_text(json.dumps(data))
    status, out, err = run(capsys, folder)
    assert status == 1 and out == "" and "group activation ordering" in err and "ORD6" in err


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_nothing_there(capsys, tmp_path, flag):
    status, out, err = run(capsys, tmp_path, *flag)
    assert status == 1 and out == "" and "CKPT4" in err
