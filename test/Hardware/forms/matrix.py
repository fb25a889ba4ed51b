"""mma.sync, ldmatrix, stmatrix and movmatrix."""

from cases import Case, Numbers, elementwise, pack
from matrices import ANY_SCENARIOS, ELEMENT_BITS, SCENARIOS, floating, fragment_a, fragment_b, fragment_c
from values import operands

FAMILY = "matrix"


def warp_kernel(name: str, warps: int, columns, bits: list[int], body: str, outs: int, out_bits: int,
                rule: str, element: str) -> Case:  # fmt: skip
    """Registers %i0.. of every lane come from `columns`; %o0.. are stored."""
    lanes = warps * 32
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{", ".reg .pred %p, %q;"]
    lines += [".reg .b32 %w<8>;", ".reg .b64 %x<8>;"]
    lines += [f".reg .b{b} %i{r};" for r, b in enumerate(bits)]
    lines += [f".reg .b{out_bits} %o<{outs}>;"]
    lines += ["ld.param.u64 %x0, [in];", "ld.param.u64 %x1, [out];", "mov.u32 %w0, %tid.x;"]
    data = b""
    for r, (column, width) in enumerate(zip(columns, bits)):
        lines.append(f"mad.wide.u32 %x3, %w0, {width // 8}, %x0;")
        lines.append(f"ld.global.b{width} %i{r}, [%x3+{len(data)}];")
        data += pack(column, width)
    lines.append(body)
    size = 0
    lines.append(f"mad.wide.u32 %x3, %w0, {out_bits // 8}, %x1;")
    for r in range(outs):
        lines.append(f"st.global.b{out_bits} [%x3+{size}], %o{r};")
        size += lanes * out_bits // 8
    lines += ["ret;", "}", ""]
    return Case(FAMILY, name, "\n".join(lines), lanes, data, size, rule, element)


def names(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + i}" for i in range(count)) + "}"


def mma(shape: str, result: str, a: str, b: str, warps: int = 16, scenarios=SCENARIOS) -> Case:
    """Operands in floating-point formats; answers differ from exact sums."""
    n, k = 8, int(shape.split("k")[1])
    m = int(shape[1 : shape.index("n")])
    bits = ELEMENT_BITS[a]
    name = f"mma_{shape}_{result}_{a}_{b}"
    if scenarios is ANY_SCENARIOS:
        name += "_any"
    numbers = Numbers(name)
    registers_a = m * k * bits // 1024
    registers_b = n * k * bits // 1024
    registers_c = m * n * (32 if result == "f32" else 16) // 1024
    columns = [[] for _ in range(registers_a + registers_b + registers_c)]
    for warp in range(warps):
        scenario = scenarios[warp % len(scenarios)]
        matrix_a, matrix_b, matrix_c = floating(numbers, a, result, scenario, m, n, k)
        if b != a:
            _, matrix_b, _ = floating(numbers, b, result, scenario if scenario != "cancel" else "wide", m, n, k)
        parts = fragment_a(matrix_a, k, bits, registers_a) + fragment_b(matrix_b, k, bits, registers_b)
        parts += fragment_c(matrix_c, 32 if result == "f32" else 16)
        for column, part in zip(columns, parts):
            column += part
    body = f"mma.sync.aligned.{shape}.row.col.{result}.{a}.{b}.{result}\n  {names('o', 0, registers_c)},\n  "
    body += f"{names('i', 0, registers_a)},\n  {names('i', registers_a, registers_b)},\n  "
    body += f"{names('i', registers_a + registers_b, registers_c)};"
    case = warp_kernel(name, warps, columns, [32] * len(columns), body, registers_c, 32, "bits", result)
    case.form = ("mma", m, n, k, a, b, result, scenarios)
    return case


def double_mma(shape: str, warps: int = 8) -> Case:
    m, k = int(shape[1 : shape.index("n")]), int(shape.split("k")[1])
    name = f"mma_{shape}_f64"
    a, b, c = m * k // 32, 8 * k // 32, m * 8 // 32
    lanes = warps * 32
    columns = []
    for r in range(a + b + c):
        numbers = Numbers(f"{name} {r}")
        columns.append([double(numbers, lane // 32) for lane in range(lanes)])
    body = f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64 {names('o', 0, c)}, {names('i', 0, a)}, "
    body += f"{names('i', a, b)}, {names('i', a + b, c)};"
    return warp_kernel(name, warps, columns, [64] * (a + b + c), body, c, 64, "bits", "f64")


def double(numbers: Numbers, warp: int) -> int:
    from values import double_bits, floats

    if warp % 4 == 3:
        return floats(numbers, "f64")
    exponent = numbers.below([2, 60, 8][warp % 4])
    sign = -1 if numbers.chance(1, 2) else 1
    return double_bits(sign * (1 + numbers.word() / 2**64) * 2.0**-exponent)


def integer_mma(shape: str, a: str, b: str, saturate: bool, warps: int = 8) -> Case:
    m, k = int(shape[1 : shape.index("n")]), int(shape.split("k")[1])
    bits = ELEMENT_BITS[a]
    name = f"mma_{shape}_{a}_{b}{'_satfinite' if saturate else ''}"
    return from_words(name, f"mma.sync.aligned.{shape}.row.col{'.satfinite' if saturate else ''}.s32.{a}.{b}.s32",
                      m * k * bits // 1024, 8 * k * bits // 1024, m * 8 // 32, warps)  # fmt: skip


def from_words(name: str, opcode: str, a: int, b: int, c: int, warps: int) -> Case:
    """Integer operands: any bits will do, accumulators near the limits in some warps."""
    numbers = Numbers(name)
    lanes = warps * 32
    columns = []
    for r in range(a + b):
        column = []
        for lane in range(lanes):
            word = numbers.word() & 0xFFFFFFFF
            if lane // 32 == 1:  # largest products
                word = numbers.pick([0x80808080, 0x7F7F7F7F, 0xFFFFFFFF, 0x88888888, 0x77777777])
            column.append(word)
        columns.append(column)
    for r in range(c):
        column = []
        for lane in range(lanes):
            word = numbers.word() & 0xFFFFFFFF
            if lane // 32 in (0, 1, 2):
                word = numbers.pick([0x7FFFFFFF, 0x80000000, 0x7FFFFFF0, 0x80000010, 0, 0x7FFF0000])
            column.append(word)
        columns.append(column)
    body = f"{opcode} {names('o', 0, c)}, {names('i', 0, a)}, {names('i', a, b)}, {names('i', a + b, c)};"
    return warp_kernel(name, warps, columns, [32] * (a + b + c), body, c, 32, "bits", "b32")


def all_mma() -> list[Case]:
    made = []
    for shape in ("m16n8k8", "m16n8k16"):
        made.append(mma(shape, "f32", "f16", "f16", 32))
        made.append(mma(shape, "f16", "f16", "f16"))
        made.append(mma(shape, "f32", "bf16", "bf16", 32))
    for shape in ("m16n8k4", "m16n8k8"):
        made.append(mma(shape, "f32", "tf32", "tf32"))
    for a in ("e4m3", "e5m2"):
        for b in ("e4m3", "e5m2"):
            made.append(mma("m16n8k32", "f32", a, b))
    for shape, result, a, b in (
        ("m16n8k8", "f32", "f16", "f16"), ("m16n8k16", "f32", "f16", "f16"),
        ("m16n8k16", "f16", "f16", "f16"), ("m16n8k8", "f32", "bf16", "bf16"),
        ("m16n8k16", "f32", "bf16", "bf16"), ("m16n8k8", "f32", "tf32", "tf32"),
        ("m16n8k32", "f32", "e4m3", "e4m3"), ("m16n8k32", "f32", "e5m2", "e5m2"),
        ("m16n8k32", "f32", "e5m2", "e4m3"),
    ):  # fmt: skip
        made.append(mma(shape, result, a, b, 16, ANY_SCENARIOS))
    for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
        made.append(double_mma(shape))
    for a in ("s8", "u8"):
        for b in ("s8", "u8"):
            for saturate in (False, True):
                for shape in ("m8n8k16", "m16n8k16", "m16n8k32"):
                    made.append(integer_mma(shape, a, b, saturate))
    for a, b in (("s4", "s4"), ("u4", "u4"), ("s4", "u4")):
        for shape in ("m8n8k32", "m16n8k32", "m16n8k64"):
            made.append(integer_mma(shape, a, b, shape == "m16n8k64"))
    for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
        for op in ("xor", "and"):
            m, k = int(shape[1 : shape.index("n")]), int(shape.split("k")[1])
            made.append(from_words(f"mma_{shape}_b1_{op}",
                                   f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc",
                                   m * k // 1024, 8 * k // 1024, m * 8 // 32, 4))  # fmt: skip
    return made


def load_matrix(count: int, transposed: bool) -> Case:
    """Eight warps; row addresses in any order, 16 bytes each."""
    name = f"ldmatrix_x{count}{'_trans' if transposed else ''}"
    numbers = Numbers(name)
    order = []
    for _ in range(8):  # some rows are read by several lanes
        order += [numbers.below(32) for _ in range(32)]
    sources = [*operands(name, ["b64", "b64"]), ("b32", order)]
    results = ["b32"] * count
    registers = ", ".join(f"%d{i or ''}" for i in range(count))
    body = (
        f".shared .align 128 .b8 {name}_m[4096];\nmov.u32 %w1, {name}_m;\nmad.lo.u32 %w2, %w0, 16, %w1;\n"
        "st.shared.v2.b64 [%w2], {%a, %b};\nbar.sync 0;\nshr.u32 %w3, %w0, 5;\n"
        "mad.lo.u32 %w3, %w3, 512, %w1;\nmad.lo.u32 %w3, %c, 16, %w3;\n"
        f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.shared.b16 {{{registers}}}, [%w3];"
    )
    return elementwise(FAMILY, name, sources, results, body)


def store_matrix(count: int, transposed: bool) -> Case:
    name = f"stmatrix_x{count}{'_trans' if transposed else ''}"
    numbers = Numbers(name)
    order = []
    for _ in range(8):
        rows = list(range(32))
        for i in range(31, 0, -1):
            j = numbers.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]
        order += rows
    sources = [("b32", order), *operands(name, ["b32"] * count)]
    registers = ", ".join(f"%{'bcef'[i]}" for i in range(count))
    body = (
        f".shared .align 128 .b8 {name}_m[4096];\nmov.u32 %w1, {name}_m;\nmad.lo.u32 %w2, %w0, 16, %w1;\n"
        "mov.b64 %x4, 0;\nst.shared.v2.b64 [%w2], {%x4, %x4};\nbar.sync 0;\nshr.u32 %w3, %w0, 5;\n"
        "mad.lo.u32 %w3, %w3, 512, %w1;\nmad.lo.u32 %w3, %a, 16, %w3;\n"
        f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.shared.b16 [%w3], {{{registers}}};\n"
        "bar.sync 0;\nld.shared.v2.b64 {%d, %d1}, [%w2];"
    )
    return elementwise(FAMILY, name, sources, ["b64", "b64"], body)


def cases() -> list[Case]:
    made = all_mma()
    for count in (1, 2, 4):
        for transposed in (False, True):
            made.append(load_matrix(count, transposed))
            made.append(store_matrix(count, transposed))
    name = "movmatrix"
    made.append(elementwise(FAMILY, name, operands(name, ["b32"]), ["b32"],
                            "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;"))  # fmt: skip
    return made
