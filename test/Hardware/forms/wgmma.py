"""wgmma: descriptors and swizzles with exact sums, and the rounding of inexact ones.

Layout cases multiply small integers, whose sums are exact in any order, and answer with a
hash of each lane's accumulators: any N, any swizzle, any descriptor for one word a lane.
Numeric cases answer with the accumulators themselves.
"""

from functools import cache

from cases import Case, Numbers, pack
from descriptors import Descriptor
from matrices import ANY_SCENARIOS, ELEMENT_BITS, SCENARIOS, floating
from values import encode

FAMILY = "wgmma"
IMAGE = 32768
K_BYTES = 32
#: Operand types and accumulator of the layout cases.
FORMS = {
    "f16": ("f32", "f16", "f16"), "bf16": ("f32", "bf16", "bf16"), "tf32": ("f32", "tf32", "tf32"),
    "half": ("f16", "f16", "f16"), "e4m3": ("f32", "e4m3", "e4m3"), "e5m2": ("f32", "e5m2", "e5m2"),
    "e4m3e5m2": ("f32", "e4m3", "e5m2"), "e5m2e4m3": ("f16", "e5m2", "e4m3"),
    "e4m3half": ("f16", "e4m3", "e4m3"), "s8": ("s32", "s8", "s8"), "u8": ("s32", "u8", "u8"),
    "s8u8": ("s32", "s8", "u8"), "u8s8": ("s32", "u8", "s8"), "b1": ("s32", "b1", "b1"),
}  # fmt: skip
SMALL = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 1.0, -3.0]


@cache
def image(kind: str) -> bytes:
    """Random elements with small integral values."""
    numbers = Numbers(f"wgmma image {kind}")
    random = b"".join(numbers.word().to_bytes(8, "little") for _ in range(IMAGE // 8))
    if kind in ("s8", "u8", "b1"):
        return random
    bits = ELEMENT_BITS[kind]
    table = [encode(SMALL[byte & 7], kind).to_bytes(bits // 8, "little") for byte in range(256)]
    return b"".join(table[byte] for byte in random[: IMAGE * 8 // bits])


def k_of(kind: str) -> int:
    return K_BYTES * 8 // ELEMENT_BITS[kind]


def opcode(form: str, n: int, saturate: bool = False) -> str:
    result, a, b = FORMS[form]
    tail = ".and.popc" if a == "b1" else ""
    sat = ".satfinite" if saturate else ""
    return f"wgmma.mma_async.sync.aligned.m64n{n}k{k_of(a)}{sat}.{result}.{a}.{b}{tail}"


def accumulators(result: str, n: int) -> int:
    return n // 4 if result == "f16" else n // 2


COPY = """ld.param.u64 %x0, [in];
ld.param.u64 %x1, [out];
mov.u32 %w0, %tid.x;
mov.u32 %w1, {name}_m;
mad.lo.u32 %w2, %w0, 16, %w1;
mad.wide.u32 %x3, %w0, 16, %x0;
mov.u32 %w3, 0;
$copy_{name}:
ld.global.v2.b64 {{%x4, %x5}}, [%x3];
st.shared.v2.b64 [%w2], {{%x4, %x5}};
add.s64 %x3, %x3, 2048;
add.u32 %w2, %w2, 2048;
add.u32 %w3, %w3, 2048;
setp.lt.u32 %p, %w3, {bytes};
@%p bra $copy_{name};
fence.proxy.async;
bar.sync 0;
"""


def descriptor_code(register: str, descriptor: Descriptor, start: str = "%w1") -> str:
    return (f"add.u32 %w4, {start}, {descriptor.start};\nshr.u32 %w4, %w4, 4;\nand.b32 %w4, %w4, 0x3fff;\n"
            f"cvt.u64.u32 {register}, %w4;\nor.b64 {register}, {register}, 0x{descriptor.constant:x};\n")  # fmt: skip


def immediates(kind: str, scale_a: int, scale_b: int, transposes: list[bool]) -> str:
    if kind in ("s8", "u8", "b1"):
        return ""
    text = f", {scale_a}, {scale_b}"
    if kind in ("f16", "bf16"):
        text += "".join(f", {int(t)}" for t in transposes)
    return text


def layout(tag: str, form: str, n: int, a: Descriptor | None, b: Descriptor, scale_d: bool = True,
           scale_a: int = 1, scale_b: int = 1, saturate: bool = False) -> Case:  # fmt: skip
    """A is in registers if it has no descriptor."""
    name = f"wgmma_{tag}_{form}_n{n}"
    result, kind_a, kind_b = FORMS[form]
    k = k_of(kind_a)
    for rows, d in ((64, a), (n, b)):
        assert d is None or d.end(rows, K_BYTES, k) <= IMAGE, (name, d, d.end(rows, K_BYTES, k))
    count = accumulators(result, n)
    text = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{", ".reg .pred %p, %q;",
            ".reg .b32 %w<12>;", ".reg .b64 %x<10>;", f".reg .b32 %d<{count}>;", ".reg .f32 %f<2>;",
            ".reg .b16 %h<2>;", f".shared .align 1024 .b8 {name}_m[{IMAGE}];",
            COPY.format(name=name, bytes=IMAGE)]  # fmt: skip
    # Accumulators that depend on lane and index.
    text.append("and.b32 %w5, %w0, 7;")
    if result == "f32":
        text.append("cvt.rn.f32.u32 %f0, %w5;")
        text += [f"mov.b32 %f1, 0f{0x40000000 + ((i % 5) << 20):08x};\nadd.rn.f32 %f1, %f0, %f1;\n"
                 f"mov.b32 %d{i}, %f1;" for i in range(count)]  # fmt: skip
    elif result == "f16":
        text.append("cvt.rn.f16.u32 %h0, %w5;\nmov.b32 %w5, {%h0, %h0};")
        text += [f"mov.b32 %w6, 0x{0x3C004000 + (i % 4 << 8):08x};\nadd.rn.f16x2 %d{i}, %w5, %w6;"
                 for i in range(count)]  # fmt: skip
    else:
        base = 0x7FFFFF00 if saturate else 0
        text += [f"add.s32 %d{i}, %w5, {base + i * 3};" for i in range(count)]
    text.append(descriptor_code("%x7", b))
    operand_a = "%x6"
    data = image(kind_a)
    if kind_b != kind_a:
        data = image(kind_b)
    if a is not None:
        text.append(descriptor_code("%x6", a))
    else:
        operand_a = "{%w7, %w8, %w9, %w10}"
        text.append(f"mad.wide.u32 %x3, %w0, 16, %x0;\nadd.s64 %x3, %x3, {IMAGE};")
        text.append("ld.global.v2.b32 {%w7, %w8}, [%x3];\nld.global.v2.b32 {%w9, %w10}, [%x3+8];")
        data += image(kind_a)[1024 : 1024 + 2048]
    text.append(f"setp.{'ge' if scale_d else 'gt'}.u32 %q, %w0, {0 if scale_d else 9999};")
    text.append("wgmma.fence.sync.aligned;")
    transposes = [b.transposed] if a is None else [a.transposed, b.transposed]
    registers = ", ".join(f"%d{i}" for i in range(count))
    text.append(f"{opcode(form, n, saturate)} {{{registers}}}, {operand_a}, %x7, %q"
                f"{immediates(kind_a, scale_a, scale_b, transposes)};")  # fmt: skip
    text.append("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.u32 %w5, 17;")
    text += [f"mad.lo.u32 %w5, %w5, 0x01000193, %d{i};" for i in range(count)]
    text.append("mad.wide.u32 %x3, %w0, 4, %x1;\nst.global.b32 [%x3], %w5;\nret;\n}\n")
    case = Case(FAMILY, name, "\n".join(text), 128, data, 512)
    case.form = ("wgmma", form, n, a, b, scale_d, scale_a, scale_b, saturate)
    return case


def k_major(swizzle: str, rows: int, start: int = 0, slice_: int = 0) -> Descriptor:
    """The usual layouts: 8-row groups one after the other."""
    if swizzle == "none":
        return Descriptor(start, 128, 256, "none")
    row = int(swizzle)
    return Descriptor(start + slice_ * K_BYTES, 16, row * 8, swizzle)


def mn_major(swizzle: str, rows: int, start: int = 0) -> Descriptor:
    """16 values of K; groups of eight K one after the other, then the next part of M or N."""
    if swizzle == "none":
        return Descriptor(start, 128, 256, "none", 0, True)
    row = int(swizzle)
    return Descriptor(start, row * 16, row * 8, swizzle, 0, True)


def layouts() -> list[Case]:
    made = []
    for n in range(8, 257, 8):
        slice_ = n // 8 % 4
        made.append(layout("ss_128", "f16", n, k_major("128", 64, 8192, 3 - slice_), k_major("128", n, 0, slice_)))
    for form in FORMS:
        for swizzle in ("none", "32", "64", "128"):
            for n in (8, 64, 96, 256):
                slice_ = max(int(swizzle) // 32 - 1, 0) if swizzle != "none" else 0
                made.append(layout(f"ss_k{swizzle}", form, n, k_major(swizzle, 64, 4096, 0),
                                   k_major(swizzle, n, 0, slice_)))  # fmt: skip
        for swizzle, n in (("none", 8), ("32", 24), ("64", 128), ("128", 256), ("128", 64)):
            made.append(layout(f"rs_k{swizzle}", form, n, None, k_major(swizzle, n)))
    for form in ("f16", "bf16"):
        for swizzle_a in ("none", "32", "64", "128"):
            for swizzle_b in ("none", "32", "64", "128"):
                n = {"none": 32, "32": 40, "64": 96, "128": 136}[swizzle_b]
                tag = f"ss_mn{swizzle_a}_mn{swizzle_b}"
                made.append(layout(tag, form, n, mn_major(swizzle_a, 64, 2048), mn_major(swizzle_b, n)))
        for swizzle in ("none", "32", "64", "128"):
            for n in (8, 128, 256):
                made.append(layout(f"ss_k{swizzle}_mn{swizzle}", form, n, k_major(swizzle, 64, 1024),
                                   mn_major(swizzle, n, 2048)))  # fmt: skip
                made.append(layout(f"rs_mn{swizzle}", form, n, None, mn_major(swizzle, n)))
            made.append(layout(f"ss_mn{swizzle}_k{swizzle}", form, 64, mn_major(swizzle, 64, 1024),
                               k_major(swizzle, 64)))  # fmt: skip
    for scale_a in (1, -1):
        for scale_b in (1, -1):
            for scale_d in (True, False):
                tag = f"scale{scale_a}{scale_b}{int(scale_d)}".replace("-", "m")
                for form in ("f16", "bf16", "tf32", "e4m3"):
                    made.append(layout(tag, form, 16, k_major("64", 64, 1024), k_major("64", 16),
                                       scale_d, scale_a, scale_b))  # fmt: skip
                made.append(layout("rs_" + tag, "f16", 16, None, k_major("64", 16), scale_d, scale_a, scale_b))
    for form in ("s8", "u8", "s8u8", "u8s8"):
        made.append(layout("sat", form, 32, k_major("128", 64), k_major("128", 32, 8192), saturate=True))
        made.append(layout("scale_d0", form, 32, k_major("128", 64), k_major("128", 32, 8192), scale_d=False))
    return made + arbitrary()


def arbitrary() -> list[Case]:
    """Offsets that no kernel would choose; pieces may overlap."""
    made = []
    numbers = Numbers("wgmma descriptors")
    for index in range(64):
        shifted = index >= 32
        while True:
            chosen = []
            n = 8 * (1 + numbers.below(32))
            for rows in (64, n):
                swizzle = numbers.pick(["none", "32", "64", "128"])
                row = int(swizzle) if swizzle != "none" else 16
                transposed = numbers.chance(1, 2)
                repeat = row * 8
                start = numbers.below(IMAGE // 4 // repeat) * repeat
                base_offset = 0
                if shifted and swizzle != "none":
                    # The pattern starts within a repeat: rows of 128 bytes into it.
                    base_offset = numbers.below(8) & (row // 16 - 1)
                    start += base_offset * 128
                stride = 16 * (1 + numbers.below(64))
                leading = 16 * (1 + numbers.below(64))
                if swizzle != "none":
                    stride = repeat * (1 + numbers.below(4))
                    leading = repeat * (1 + numbers.below(4))
                chosen.append(Descriptor(start, leading, stride, swizzle, base_offset, transposed))
            if all(d.end(rows, K_BYTES, 16) <= IMAGE for d, rows in zip(chosen, (64, n))):
                break
        tag = f"{'shifted' if shifted else 'any'}{index}"
        made.append(layout(tag, numbers.pick(["f16", "bf16"]), n, chosen[0], chosen[1]))
    return made


def numeric(form: str, rounds: int, scenarios=SCENARIOS) -> Case:
    """N = 8, one scenario a round, operands K-major without swizzle."""
    result, kind_a, kind_b = FORMS[form]
    name = f"wgmma_numeric_{form}{'_any' if scenarios is ANY_SCENARIOS else ''}"
    bits, k = ELEMENT_BITS[kind_a], k_of(kind_a)
    count = accumulators(result, 8)
    numbers = Numbers(name)
    data = b""
    step = len(scenarios) // rounds
    for round_ in range(rounds):
        scenario = scenarios[round_ * step]
        a, b, c = floating(numbers, kind_a, result, scenario, 64, 8, k)
        if kind_b != kind_a:
            _, b, _ = floating(numbers, kind_b, result, "wide" if scenario == "cancel" else scenario, 64, 8, k)
        data += tile(a, bits) + tile([list(column) for column in zip(*b)], bits)
        data += pack([v for lane in range(128) for v in lane_of_c(c, lane, result)], 32)
    block = 2048 + 256 + 128 * 4 * count
    a, b = Descriptor(0, 128, 256), Descriptor(2048, 128, 256)
    registers = [f"%d{i}" for i in range(count)]
    vector = f"v{count}" if count > 1 else ""
    text = f""".visible .entry {name}(.param .u64 in, .param .u64 out)
{{
.reg .pred %p, %q;
.reg .b32 %w<12>;
.reg .b64 %x<10>;
.reg .b32 %d<4>;
.shared .align 1024 .b8 {name}_m[2304];
ld.param.u64 %x0, [in];
ld.param.u64 %x1, [out];
mov.u32 %w0, %tid.x;
mov.u32 %w1, {name}_m;
mad.lo.u32 %w2, %w0, 16, %w1;
mov.u32 %w3, 0;
{descriptor_code("%x6", a)}{descriptor_code("%x7", b)}setp.lt.u32 %p, %w0, 16;
$round_{name}:
mad.wide.u32 %x3, %w0, 16, %x0;
ld.global.v2.b64 {{%x4, %x5}}, [%x3];
st.shared.v2.b64 [%w2], {{%x4, %x5}};
@!%p bra $copied_{name};
ld.global.v2.b64 {{%x4, %x5}}, [%x3+2048];
st.shared.v2.b64 [%w2+2048], {{%x4, %x5}};
$copied_{name}:
mad.wide.u32 %x3, %w0, {4 * count}, %x0;
ld.global.{vector}.b32 {{{", ".join(registers)}}}, [%x3+2304];
fence.proxy.async;
bar.sync 0;
setp.ge.u32 %q, %w0, 0;
wgmma.fence.sync.aligned;
{opcode(form, 8)} {{{", ".join(registers)}}}, %x6, %x7, %q{immediates(kind_a, 1, 1, [False, False])};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mad.wide.u32 %x3, %w0, {4 * count}, %x1;
st.global.{vector}.b32 [%x3], {{{", ".join(registers)}}};
bar.sync 0;
add.s64 %x0, %x0, {block};
add.s64 %x1, %x1, {512 * count};
add.u32 %w3, %w3, 1;
setp.lt.u32 %q, %w3, {rounds};
@%q bra $round_{name};
ret;
}}
"""
    case = Case(FAMILY, name, text, 128, data, 512 * count * rounds, "bits", result)
    case.form = ("wgmma_numeric", form, rounds, scenarios)
    return case


def tile(matrix, bits: int) -> bytes:
    """K-major core matrices: 8 rows of 16 bytes, the two along K first."""
    per = 128 // bits
    out = b""
    for group in range(0, len(matrix), 8):
        for unit in range(2):
            for row in matrix[group : group + 8]:
                out += pack(row[unit * per : (unit + 1) * per], bits)
    return out


def lane_of_c(c, lane: int, result: str) -> list[int]:
    """The accumulators of one lane for N = 8."""
    row = lane // 32 * 16 + lane % 32 // 4
    column = lane % 4 * 2
    rows = (c[row][column : column + 2], c[row + 8][column : column + 2])
    if result == "f16":
        return [low | high << 16 for low, high in rows]
    return [*rows[0], *rows[1]]


def cases() -> list[Case]:
    made = layouts()
    for form, rounds in (("f16", 16), ("bf16", 16), ("tf32", 8), ("half", 8), ("e4m3", 8),
                         ("e5m2", 8), ("e4m3e5m2", 4), ("e4m3half", 4)):  # fmt: skip
        made.append(numeric(form, rounds))
        made.append(numeric(form, len(ANY_SCENARIOS), ANY_SCENARIOS))
    return made
