"""Logic, shifts, bit fields and byte permutation."""

from cases import Case, elementwise, symbol
from values import operands

FAMILY = "bits"


def form(opcode: str, kinds: list[str], result: str, lanes: int = 256, tail: str = "") -> Case:
    name = symbol(opcode + (f".{tail}" if tail else ""))
    letters = ", ".join(f"%{c}" for c in "abcefg"[: len(kinds)])
    body = f"{opcode} %d, {letters}{', ' + tail if tail else ''};"
    return elementwise(FAMILY, name, operands(name, kinds, lanes), [result], body)


def cases() -> list[Case]:
    made = []
    for width in (16, 32, 64):
        b = f"b{width}"
        for op in ("and", "or", "xor"):
            made.append(form(f"{op}.{b}", [b, b], b))
        made.append(form(f"not.{b}", [b], b))
        made.append(form(f"cnot.{b}", [b], b))
        made.append(form(f"shl.{b}", [b, "amount"], b))
        for t in (b, f"u{width}", f"s{width}"):
            made.append(form(f"shr.{t}", [t, "amount"], t))
        if width == 16:
            continue
        made.append(form(f"popc.{b}", [b], "u32"))
        made.append(form(f"clz.{b}", [b], "u32"))
        made.append(form(f"brev.{b}", [b], b))
        for t in (f"u{width}", f"s{width}"):
            made.append(form(f"bfind.{t}", [t], "u32"))
            made.append(form(f"bfind.shiftamt.{t}", [t], "u32"))
            made.append(form(f"bfe.{t}", [t, "bitpos", "bitpos"], t))
        made.append(form(f"bfi.{b}", [b, b, "bitpos", "bitpos"], b))
    for side in ("l", "r"):
        for mode in ("clamp", "wrap"):
            made.append(form(f"shf.{side}.{mode}.b32", ["b32", "b32", "amount"], "b32"))
    for mode in ("clamp", "wrap"):
        for t in ("u32", "s32"):
            made.append(form(f"szext.{mode}.{t}", [t, "amount"], t))
        made.append(form(f"bmsk.{mode}.b32", ["amount", "amount"], "b32"))
    made.append(form("fns.b32", ["b32", "bitpos", "s32"], "b32", 64))
    made[-1].undefined = [i for i, base in enumerate(made[-1].operands[1][1]) if base > 31]
    name = "fns_b32_inside"  # bases inside the word
    sources = operands(name, ["b32", "b32", "s32"], 128)
    sources[1] = ("b32", [base & 31 for base in sources[1][1]])
    small = [offset if i % 4 == 0 else offset % 33 - 16 for i, offset in enumerate(sources[2][1])]
    sources[2] = ("s32", [0x80000000 if i % 16 == 0 else value for i, value in enumerate(small)])
    made.append(elementwise(FAMILY, name, sources, ["b32"], "fns.b32 %d, %a, %b, %c;"))
    made.append(form("prmt.b32", ["b32", "b32", "selector"], "b32"))
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        made.append(form(f"prmt.b32.{mode}", ["b32", "b32", "amount"], "b32", 128))
    for table in range(256):  # 32 bits of random words meet all eight combinations
        made.append(form("lop3.b32", ["b32"] * 3, "b32", 32, f"0x{table:02x}"))
    for op in ("or", "and"):
        for table in (0x96, 0xE8, 0x01, 0x80):
            name = f"lop3_{op}_b32_{table:02x}"
            body = (
                f"setp.gt.s32 %q, %a, 0;\nlop3.{op}.b32 %d|%p, %a, %b, %c, 0x{table:x}, %q;\n"
                "selp.u32 %d1, 1, 0, %p;"
            )
            made.append(elementwise(FAMILY, name, operands(name, ["b32"] * 3), ["b32", "b32"], body))
    for op in ("and", "or", "xor", "not"):
        name = f"{op}_pred"
        sources = operands(name, ["bool", "bool"], 32)
        args = "%p" if op == "not" else "%p, %q"
        body = f"setp.ne.u32 %p, %a, 0;\nsetp.ne.u32 %q, %b, 0;\n{op}.pred %u, {args};\nselp.u32 %d, 1, 0, %u;"
        made.append(elementwise(FAMILY, name, sources, ["u32"], body))
    return made
