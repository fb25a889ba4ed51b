"""Instructions that dequantisation takes per 8 weights, read from the PTX of a kernel that
does nothing else: one warp loads a tile of 16 x 64 codes, converts it to the fragment of a
product and stores it."""

import collections
import pathlib
import re
import subprocess
import sys

KERNEL = """
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!w = !tile.global<16x64x!wna16.code<{bits}{offset}>, read, #wna16.layout<marlin>>
!s = !tile.global<1x64x{scale}, read, #wna16.layout<marlin_scales>>
!z = !tile.global<1x64x!wna16.code<{zero_bits}>, read, #wna16.layout<marlin_zeros>>
!y = !tile.global<16x64x{dtype}, write>
tile.kernel @dequantize(%w: !w, %s: !s, %z: !z, %y: !y)
    attributes {{arg_names = ["w", "s", "z", "y"], warps = 1 : i64}} {{
{planes}
  tile.for_each_work (%ik, %in) tile [16, 64] of [16, 64] {{
{loads}
    %st = tile.load_scales %s[k = %ik, n = %in] {{group = 16 : i64}} : !s -> !tile.val<1x64x{scale}>
{load_zeros}
    %d = tile.dequant {codes}{zeros} scales %st : {types}{zero_type} scales !tile.val<1x64x{scale}> -> !tile.val<16x64x{dtype}, #weights>
    tile.store %d, %y[%ik, %in] : !tile.val<16x64x{dtype}, #weights>, !y
  }}
}}
"""
LOAD_ZEROS = """\
    %zt = tile.load_scales %z[k = %ik, n = %in] {{group = 16 : i64}} : !z -> !tile.val<1x64x{dtype}>"""
#: What is counted, in the order of the table.
KINDS = {
    "lop3": r"lop3\.b32 .*0xEA",
    "sub": r"(?:sub|add)(?:\.rn)?\.b?f16x2|fma\.rn\.bf16x2 .*, (?:%r\d+), %r\d+;",
    "mul": r"mul(?:\.rn)?\.b?f16x2",
    "f32": r"(?:sub|add|mul|fma)\.(?:rn\.)?f32",
    "cvt": r"cvt\.rn\.\w+\.f32",
}
WEIGHTS_PER_LANE = 16 * 64 // 32


def planes_of(bits):
    return [width for width in (8, 4, 2, 1) if bits & width]


def kernel(bits, has_zeros, dtype, scale):
    def code(width, offset):
        return f"!wna16.code<{width}" + ("" if has_zeros else f", offset = {offset}") + ">"

    middle, shift = 1 << (bits - 1), 0
    names, types, planes, loads = [], [], [], []
    widths = planes_of(bits)
    for index, width in enumerate(widths):
        element = code(width, middle >> shift & ((1 << width) - 1))
        matrix = "!w"
        if len(widths) > 1:
            matrix = f"!tile.global<16x64x{element}, read, #wna16.layout<marlin>>"
            planes.append(f"  %w{index} = tile.plane %w {index} : !w -> {matrix}")
        source = f"%w{index}" if len(widths) > 1 else "%w"
        loads.append(f"    %c{index} = tile.load {source}[%ik, %in] : {matrix} -> !tile.val<16x64x{element}>")
        names.append(f"%c{index}")
        types.append(f"!tile.val<16x64x{element}>")
        shift += width
    return KERNEL.format(
        bits=bits, offset="" if has_zeros else f", offset = {middle}", scale=scale, dtype=dtype,
        zero_bits=4 if bits <= 4 else 8, planes="\n".join(planes), loads="\n".join(loads),
        codes=", ".join(names), types=", ".join(types), zeros=" zeros %zt" if has_zeros else "",
        load_zeros=LOAD_ZEROS.format(dtype=dtype) if has_zeros else "",
        zero_type=f" zeros !tile.val<1x64x{dtype}>" if has_zeros else "",
    )  # fmt: skip


def counts(ptx):
    """Instructions by kind; shifts are those of words that were loaded."""
    found = collections.Counter()
    loaded = set()
    for line in ptx.splitlines():
        if "ld.global" in line:
            loaded |= set(re.findall(r"%r\d+", line.split("[")[0]))
        shift = re.search(r"sh[rl]\.\w+ \s*%r\d+, (%r\d+), \d+;", line)
        found["shift"] += bool(shift and shift[1] in loaded)
        for kind, pattern in KINDS.items():
            found[kind] += bool(re.search(pattern, line))
    return found


def main(compiler, folder):
    folder = pathlib.Path(folder)
    for dtype, scale in (("f16", "f16"), ("bf16", "bf16"), ("bf16", "f16")):
        for has_zeros in (False, True):
            for bits in range(1, 9):
                if dtype != scale and bits != 4:
                    continue
                name = f"w{bits}{'z' if has_zeros else ''}_{dtype}_{scale}"
                source = folder / f"{name}.mlir"
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(kernel(bits, has_zeros, dtype, scale))
                out = folder / name
                subprocess.run([compiler, source, "--target", "sm_90a", "-o", out], check=True)
                found = counts((out / "dequantize.ptx").read_text())
                shown = " ".join(
                    f"{kind} {found[kind] * 8 / WEIGHTS_PER_LANE:g}"
                    for kind in ("shift", *KINDS) if found[kind]
                )  # fmt: skip
                print(f"{name}: {shown}")


main(*sys.argv[1:])
