"""What one differential test is: a kernel of PTX, its input, the size of its answer.

A case is a whole entry function with two parameters, the addresses of an input and of an
output buffer. It runs as one block. Inputs come from the case's name and nothing else, so
that the same case has the same input on every machine and only answers need be kept.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"

#: Lanes of a case in which every lane is a test of its own.
LANES = 256

#: Bits of a register for an operand kind; floats are handled as their bits.
WIDTH = {
    "u8": 8, "s8": 8, "e4m3": 8, "e5m2": 8,
    "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "e4m3x2": 16, "e5m2x2": 16,
    "b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32,
    "u16x2": 32, "s16x2": 32,
    "b64": 64, "u64": 64, "s64": 64, "f64": 64,
    "amount": 32, "bitpos": 32, "selector": 32, "bool": 32, "tonarrow32": 32, "toint32": 32,
    "toint16": 16, "tointb16": 16, "toint64": 64, "angle": 32, "moderate": 32, "tie64": 64,
    "tie32": 32, "unit32": 32, "moderate16": 16, "moderateb16": 16, "moderate16x2": 32,
    "moderateb16x2": 32, "positive": 32,
}  # fmt: skip


@dataclass
class Case:
    """One kernel. `rule` says how the emulator's answer is compared with the hardware's.

    bits    all bytes are equal
    nan     elements of type `element` are equal, or both a NaN
    bound   elements of type `element` lie between bounds around the exact value: bounds.py
    """

    family: str
    name: str
    text: str
    threads: int
    data: bytes
    out_bytes: int
    rule: str = "bits"
    element: str = "b32"
    #: Operands of an elementwise case (kind, values) and the kinds of its results, for bounds
    #: and for messages.
    operands: list[tuple[str, list[int]]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    #: Lanes whose operands the PTX document gives no meaning.
    undefined: list[int] = field(default_factory=list)
    #: What the instruction of a matrix case is; the opcode of a `bound` case.
    form: object = None
    grid: int = 1

    @property
    def digest(self) -> str:
        """Names the exact kernel and input that an answer belongs to."""
        content = hashlib.sha256(self.text.encode())
        content.update(self.data)
        content.update(b"%d %d %d" % (self.threads, self.out_bytes, self.grid))
        return content.hexdigest()[:16]

    @property
    def ptx(self) -> str:
        return HEADER + self.text


class Numbers:
    """A stream of random numbers that depends on a name only."""

    def __init__(self, name: str):
        self.name = name
        self.block = 0
        self.bits = b""
        self.at = 0

    def word(self) -> int:
        """64 random bits."""
        if self.at + 8 > len(self.bits):
            seed = b"%s %d" % (self.name.encode(), self.block)
            self.bits = hashlib.shake_128(seed).digest(16384)
            self.at = 0
            self.block += 1
        self.at += 8
        return int.from_bytes(self.bits[self.at - 8 : self.at], "little")

    def below(self, limit: int) -> int:
        return self.word() % limit

    def pick(self, values):
        return values[self.word() % len(values)]

    def chance(self, numerator: int, denominator: int) -> bool:
        return self.word() % denominator < numerator


def register_bits(kind: str) -> int:
    """Operands of 8 bits live in registers of 16."""
    return max(16, WIDTH[kind])


def pack(values: list[int], bits: int) -> bytes:
    mask = (1 << bits) - 1
    return b"".join((v & mask).to_bytes(bits // 8, "little") for v in values)


def unpack(data: bytes, bits: int) -> list[int]:
    step = bits // 8
    return [int.from_bytes(data[i : i + step], "little") for i in range(0, len(data), step)]


REGISTERS = """.reg .pred %p, %q, %u;
.reg .b16 %h<8>;
.reg .b32 %w<8>;
.reg .b64 %x<8>;
"""


def elementwise(
    family: str,
    name: str,
    sources: list[tuple[str, list[int]]],
    results: list[str],
    body: str,
    rule: str = "bits",
    form=None,
    element: str | None = None,
    undefined: list[int] | None = None,
) -> Case:
    """A kernel whose lane i computes results[i] from values[i] of each source.

    In `body` %a, %b, %c, ... are the sources and %d, %e2, ... the results: %d, %d1, %d2.
    """
    lanes = len(sources[0][1]) if sources else LANES
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{", REGISTERS.strip()]
    loads, data = [], b""
    names = "abcefg"
    for (kind, values), letter in zip(sources, names):
        assert len(values) == lanes, name
        bits = WIDTH[kind]
        lines.append(f".reg .b{register_bits(kind)} %{letter};")
        loads.append(f"mad.wide.u32 %x3, %w0, {bits // 8}, %x0;")
        loads.append(f"ld.global.{'u8' if bits == 8 else f'b{bits}'} %{letter}, [%x3+{len(data)}];")
        data += pack(values, bits)
        data += bytes(-len(data) % 16)
    stores, size = [], 0
    for i, kind in enumerate(results):
        register = f"%d{i or ''}"
        bits = WIDTH[kind]
        lines.append(f".reg .b{register_bits(kind)} {register};")
        stores.append(f"mad.wide.u32 %x3, %w0, {bits // 8}, %x1;")
        store = "u8" if bits == 8 else f"b{bits}"
        stores.append(f"st.global.{store} [%x3+{size}], {register};")
        size += lanes * bits // 8
    lines += ["ld.param.u64 %x0, [in];", "ld.param.u64 %x1, [out];", "mov.u32 %w0, %tid.x;"]
    lines += [*loads, body, *stores, "ret;", "}", ""]
    return Case(
        family, name, "\n".join(lines), lanes, data, size, rule,
        element or results[0], sources, results, undefined or [], form,
    )  # fmt: skip


def symbol(opcode: str) -> str:
    """A kernel's name from an opcode."""
    return opcode.replace(".", "_").replace("::", "_")
