"""What users of such compilers reported of the code that came out, looked for in ours.

Field reports M1, M3, M4, M7, M8: the text of kernels of every kind, for every target. M9 and
M11, numbers that were wrong, are in the emulator; M2, M5, M6, M10 and M12 are named where
they are tested: test/Emit/convergent-asm.mlir, test/Run and test/Python/test_reader_fuzz.py.
"""

import re

import pytest

from wna16 import Problem, emit, toolchain
from wna16.artifact import read_record
from wna16.targets import TARGETS

pytestmark = pytest.mark.needs_tools("wna16-compile")

#: Columns and rows that end in the middle of a copy, groups of one product, tall tiles.
KINDS = {
    "odd": (Problem(n=130, k=65, group=-1, bits=3, offset=None), 8),
    "edge": (Problem(n=130, k=200, group=-1, bias_dtype="f16", out_dtype="f32"), 64),
    "groups": (Problem(n=256, k=512, group=16, bits=8, offset=None, dtype="bf16"), 16),
    "tall": (Problem(n=256, k=512, dtype="bf16", scale_dtype="f16"), 1024),
}


@pytest.fixture(scope="module", params=[(t, k) for t in TARGETS for k in KINDS], ids="-".join)
def kernel(request, tmp_path_factory):
    """(target, PTX, launch record, dtype of x)."""
    target, kind = request.param
    problem, max_m = KINDS[kind]
    folder = tmp_path_factory.mktemp("kernel")
    toolchain.compile_module(emit.module_text(problem, max_m), target, folder)
    record = read_record(folder / f"{emit.kernel_name(problem, max_m)}.json")
    return target, record.ptx.read_text(), record, problem.dtype


def test_matrix_instructions_have_the_type_of_x(kernel):
    """M1: bf16 goes in as it is, packed in 32-bit registers."""
    _, ptx, _, dtype = kernel
    products = re.findall(r"(?:wgmma\.mma_async|mma)\.sync\S*\.f32\.(\w+)\.(\w+)", ptx)
    assert products and set(products) == {(dtype, dtype)}
    kinds = {name: kind for kind, name in re.findall(r"\.reg \.(\w+)\s+%(\w+)<", ptx)}
    for line in re.findall(r"mma\.sync[^;]*;", ptx):
        operands = re.findall(r"%([a-z]+)\d+", line)
        assert {kinds[name] for name in operands} == {"b32"}, line


def test_wide_accesses_are_of_addresses_that_launches_check(kernel):
    """M3: no access is wider than what the launch record asks of an address."""
    _, ptx, record, _ = kernel
    widths = {
        int(count or 1) * int(bits) // 8
        for count, bits in re.findall(r"(?:ld|st)\.global\S*?(?:\.v(\d))?\.[bfus](\d+)\s", ptx)
    }
    assert widths and max(widths) <= 16
    buffers = [a for a in record.arguments if a.shape]
    assert buffers and all(a.alignment >= max(widths) for a in buffers)


def test_versions_are_said(kernel):
    """M4, M7: the target's own name, and a version that does not hang on LLVM's choice."""
    target, ptx, *_ = kernel
    assert re.findall(r"^\.target (\S+)$", ptx, re.M) == [target]
    (version,) = re.findall(r"^\.version (\S+)$", ptx, re.M)
    assert version == {"sm_100a": "8.6", "sm_90a": "8.6", "sm_120a": "8.7"}.get(target, "8.0")
    old = target in ("sm_80", "sm_86", "sm_89")
    for instruction in ("cp.async.bulk", "mbarrier.try_wait", "barrier.cluster", "griddepcontrol"):
        assert not (old and instruction in ptx), instruction
    assert target == "sm_90a" or "wgmma" not in ptx


def test_copies_have_sizes_that_there_are(kernel):
    """M8: 4, 8 or 16 bytes, and 16 around the first-level cache."""
    _, ptx, *_ = kernel
    copies = re.findall(r"cp\.async\.(c[ag])\.\S* \[[^\]]*\], \[[^\]]*\], (\d+)", ptx)
    assert {(cache, int(size)) for cache, size in copies} <= {
        ("cg", 16), ("ca", 4), ("ca", 8), ("ca", 16),
    }  # fmt: skip
    assert copies or "cp.async.bulk" in ptx
