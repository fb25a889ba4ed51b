"""Damaged and malicious checkpoints: an error of this package, soon, in little memory.

Run longer with WNA16_FUZZ=N cases per kind, another start with WNA16_FUZZ_SEED=S; a
failure names its case, and WNA16_FUZZ_SEED=S WNA16_FUZZ=1 repeats it. A pickle is never
opened. Field reports: A and B (contradictory files), G (sizes that overflow), M12 (aborts on
what users write).
"""

import json
import os
import pickle
import random
import resource
import shutil
import time

import pytest

import wna16
from wna16 import CheckpointError, Wna16Error

from conftest import ROOT

pytestmark = pytest.mark.needs_runtime  # layers are packed too

INPUTS = ROOT / "test" / "Inputs"
SOURCES = [
    INPUTS / "gptqmodel" / "v1",
    INPUTS / "gptqmodel" / "awq",
    INPUTS / "compressed-tensors-widths",
]
CASES = int(os.environ.get("WNA16_FUZZ", "40"))
SEED = int(os.environ.get("WNA16_FUZZ_SEED", "1"))
#: Of processor time: the machine may be busy.
SECONDS = 20
#: Beyond what the process has mapped when a case begins.
BYTES = 1 << 30


@pytest.fixture
def copy(tmp_path):
    def run(source):
        folder = tmp_path / "checkpoint"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        (folder / "quantize_config.json").unlink(missing_ok=True)
        return folder

    return run


def read_everything(folder):
    """True if all of it could be read; an error of the package is as good."""
    mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    old = resource.getrlimit(resource.RLIMIT_AS)
    limit = mapped + BYTES if old[1] == -1 else min(mapped + BYTES, old[1])
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (limit, old[1]))
    try:
        checkpoint = wna16.open(folder)
        for record in checkpoint:
            wna16.supports(record.problem)
            layer = checkpoint.layer(record.name)
            layer.codes(), layer.scales(), layer.zeros(), layer.bias(), layer.pack()
        return True
    except Wna16Error as error:
        assert "[" in str(error) and len(str(error)) < 5000
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_AS, old)
        assert time.process_time() - start < SECONDS


def header_of(file):
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    return data[8 : 8 + size], data[8 + size :]


def write(file, header, rest, size=None):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(header) if size is None else size
    file.write_bytes((size & (2**64 - 1)).to_bytes(8, "little") + header + rest)


VALUES = [
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**64, 10**40, -(10**40), 1.5, 1e308, "", "x",
    "F16", "I32", "gptq_v2", "static", "group", [], [0], [2**62, 2**62], [[]], {}, {"": None},
    {"weights": 5}, "re:(", "re:(a|a)*$", "\x00", "../x", "\ud800",
]  # fmt: skip


def mutate(value, rng):
    """One change somewhere in a JSON value."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        choice = rng.random()
        if choice < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if choice < 0.2:
            return {**value, rng.choice(["desc_act", "x", key + "x", ""]): rng.choice(VALUES)}
        return {**value, key: mutate(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        return value[:i] + [mutate(value[i], rng)] + value[i + 1 :]
    return rng.choice(VALUES)


def case_of(kind, source, seed):
    return f"WNA16_FUZZ=1 WNA16_FUZZ_SEED={seed}: {kind} of {source.name}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.name)
def test_configuration(copy, source):
    folder = copy(source)
    original = json.loads((folder / "config.json").read_text())
    for seed in range(SEED, SEED + CASES):
        rng = random.Random(seed)
        config = original
        for _ in range(rng.randint(1, 3)):
            part = mutate(config.get("quantization_config", {}), rng)
            config = {**config, "quantization_config": part}
        (folder / "config.json").write_bytes(json.dumps(config).encode("utf-8", "replace"))
        try:
            read_everything(folder)
        except BaseException as error:
            pytest.fail(f"{case_of('configuration', source, seed)}: {error!r}")


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.name)
def test_header(copy, source):
    folder = copy(source)
    file = folder / "model.safetensors"
    text, rest = header_of(file)
    for seed in range(SEED, SEED + CASES):
        rng = random.Random(seed)
        header = json.loads(text)
        for _ in range(rng.randint(1, 2)):
            header = mutate(header, rng)
        write(file, json.dumps(header).encode("utf-8", "replace"), rest)
        try:
            read_everything(folder)
        except BaseException as error:
            pytest.fail(f"{case_of('header', source, seed)}: {error!r}")


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.name)
def test_bytes(copy, source):
    folder = copy(source)
    for seed in range(SEED, SEED + CASES):
        rng = random.Random(seed)
        file = folder / rng.choice(["model.safetensors", "config.json"])
        original = (source / file.name).read_bytes()
        data = bytearray(original)
        head = min(len(data), 3000)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(rng.choice([8, head, len(data)]))] = rng.randrange(256)
        if rng.random() < 0.3:
            data = data[: rng.randrange(len(data))]
        file.write_bytes(data)
        try:
            read_everything(folder)
        except BaseException as error:
            pytest.fail(f"{case_of('bytes', source, seed)}: {error!r}")
        file.write_bytes(original)


class TestHeaders:
    source = SOURCES[0]

    def refused(self, folder):
        with pytest.raises(Wna16Error, match=r"\[CKPT1\]"):
            wna16.open(folder)
        assert not read_everything(folder)

    @pytest.mark.parametrize("size", [0, 1, 2**31, 2**40, 2**63 - 1, 2**64 - 1, 99_999_999])
    def test_length(self, copy, size):
        folder = copy(self.source)
        text, rest = header_of(folder / "model.safetensors")
        write(folder / "model.safetensors", text, rest, size)
        self.refused(folder)

    @pytest.mark.parametrize(
        "change",
        [
            dict(data_offsets=[0, 2**62]),
            dict(data_offsets=[8, 4]),
            dict(data_offsets=[-4, 4]),
            dict(data_offsets=[0, 8]),  # overlaps another tensor
            dict(shape=[2**32, 2**32]),
            dict(shape=[2**64]),
            dict(shape=[10**50]),
            dict(shape=[-1, -128]),
            dict(shape="128"),
            dict(dtype="I64"),
            dict(dtype="I33"),
            dict(dtype=7),
        ],
        ids=str,
    )
    def test_entry(self, copy, change):
        folder = copy(self.source)
        text, rest = header_of(folder / "model.safetensors")
        header = json.loads(text)
        name = next(n for n in header if n.endswith("down_proj.qweight"))
        header[name].update(change)
        write(folder / "model.safetensors", header, rest)
        self.refused(folder)

    def test_name_that_stands_twice(self, copy):
        folder = copy(self.source)
        text, rest = header_of(folder / "model.safetensors")
        header = json.loads(text)
        name = next(n for n in header if n.endswith("down_proj.qweight"))
        entry = json.dumps({name: header[name]}).encode()
        write(folder / "model.safetensors", entry[:-1] + b"," + text.strip()[1:], rest)
        self.refused(folder)

    def test_nesting(self, copy):
        folder = copy(self.source)
        write(folder / "model.safetensors", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b"")
        self.refused(folder)

    def test_many_names(self, copy):
        folder = copy(self.source)
        entry = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
        write(folder / "model.safetensors", {f"t{i}": entry for i in range(20_000)}, b"")
        assert not read_everything(folder)


class TestConfigurations:
    source = SOURCES[0]

    @pytest.mark.parametrize(
        "text, said",
        [
            ('{"quantization_config": {"bits": 4, "bits": 8}}', "'bits' stands twice"),
            ('{"quantization_config": {"bits": NaN}}', "NaN is not a JSON number"),
            ('{"quantization_config": {"bits": -Infinity}}', "Infinity is not"),
            ('{"quantization_config": {"bits": ' + "9" * 5000 + "}}", "CKPT1"),
            ("[]", "not a JSON object"),
            ("", "cannot read"),
            ("\x00" * 100, "cannot read"),
            ("[" * 1_000_000, "CKPT1"),
        ],
        ids=lambda text: text[:20],
    )
    def test_json(self, copy, text, said):
        folder = copy(self.source)
        (folder / "config.json").write_text(text)
        with pytest.raises(CheckpointError, match=said):
            wna16.open(folder)

    def test_size(self, copy):
        folder = copy(self.source)
        with open(folder / "config.json", "wb") as file:
            file.truncate(1 << 40)  # sparse
        with pytest.raises(CheckpointError, match=r"expected at most .*\[CKPT1\]"):
            wna16.open(folder)

    @pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
    def test_pipe(self, copy, name):
        folder = copy(self.source)
        (folder / name).unlink()
        os.mkfifo(folder / name)
        with pytest.raises(CheckpointError, match=r"not a regular file.*\[CKPT1\]"):
            wna16.open(folder)

    @pytest.mark.parametrize("file", ["../x.safetensors", "/etc/passwd", "a/b", "..", ""])
    def test_index_that_leaves_the_folder(self, copy, file):
        folder = copy(self.source)
        index = {"weight_map": {"x.qweight": file}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        with pytest.raises(CheckpointError, match=r"CKPT1"):
            wna16.open(folder)

    def test_index_and_files_that_disagree(self, copy):
        folder = copy(self.source)
        index = {"weight_map": {"x.qweight": "model.safetensors"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        with pytest.raises(CheckpointError, match=r"x.qweight in model.safetensors.*CKPT2"):
            wna16.open(folder)


class Trap:
    def __reduce__(self):
        return (os._exit, (17,))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "gptq_model.pth", "m.ckpt"])
def test_pickles_are_never_opened(copy, name):
    folder = copy(SOURCES[0])
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Trap()))
    for path in (folder, folder / name):
        with pytest.raises(CheckpointError, match=r"pickles .*safe_serialization.*\[CKPT1\]"):
            wna16.open(path)


def test_pickles_beside_safetensors_do_not_matter(copy):
    folder = copy(SOURCES[0])
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
    assert len(wna16.open(folder)) == 13


def test_index_of_pickles(copy):
    folder = copy(SOURCES[0])
    index = {"weight_map": {"x.qweight": "pytorch_model-00001.bin"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match="pickles"):
        wna16.open(folder)


def test_the_package_has_no_way_to_open_one():
    package = ROOT / "python" / "wna16"
    for path in package.rglob("*.py"):
        text = path.read_text()
        assert "import pickle" not in text and "torch.load" not in text, path
        assert "allow_pickle=True" not in text, path
