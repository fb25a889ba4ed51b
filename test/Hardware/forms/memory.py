"""Loads, stores and atomic operations of every width, in global, shared and local memory."""

from cases import WIDTH, Case, elementwise
from values import operands

FAMILY = "memory"
LANES = 32
SHARED = ".shared .align 16 .b8 {name}_m[8192];"


def place(space: str, name: str, stride: int) -> tuple[str, str]:
    """(code that puts this lane's address into %x4 or %w4, the address's register)."""
    if space == "shared":
        return (f".shared .align 16 .b8 {name}_m[{256 * stride}];\nmov.u32 %w4, {name}_m;\n"
                f"mad.lo.u32 %w4, %w0, {stride}, %w4;"), "%w4"  # fmt: skip
    if space == "local":
        return f".local .align 16 .b8 {name}_m[{stride}];\nmov.u64 %x4, {name}_m;", "%x4"
    if space == "generic_shared":
        return (f".shared .align 16 .b8 {name}_m[{256 * stride}];\nmov.u64 %x4, {name}_m;\n"
                f"cvta.shared.u64 %x4, %x4;\nmad.wide.u32 %x4, %w0, {stride}, %x4;"), "%x4"  # fmt: skip
    if space == "generic_local":
        return (f".local .align 16 .b8 {name}_m[{stride}];\nmov.u64 %x4, {name}_m;\n"
                "cvta.local.u64 %x4, %x4;"), "%x4"  # fmt: skip
    # Global memory behind the results: its bytes are part of the answer, too.
    code = f"add.s64 %x4, %x1, {{scratch}};\nmad.wide.u32 %x4, %w0, {stride}, %x4;"
    return code, "%x4"


def with_scratch(case_lanes: int, name: str, sources, results, body: str, stride: int, **more) -> Case:
    """Adds `stride` bytes of global memory per lane behind the results."""
    size = sum(case_lanes * WIDTH[r] // 8 for r in results)
    size += -size % 16
    made = elementwise(FAMILY, name, sources, results, body.replace("{scratch}", str(size)), **more)
    if "{scratch}" in body:
        made.out_bytes = size + case_lanes * stride
    return made


def dotted(*parts: str) -> str:
    return ".".join(p for p in parts if p)


SPACES = ["global", "shared", "local", "generic", "generic_shared", "generic_local"]


def loads() -> list[Case]:
    """Store 16 bytes with one width, load with another, into registers of every size."""
    made = []
    for space in SPACES:
        state = space if space in ("global", "shared", "local") else ""
        for kind in ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "f64"):
            bits = WIDTH.get(kind, 8)
            for register in (16, 32, 64):
                if register < bits or (kind[0] == "f" and register != bits):
                    continue
                name = f"ld_{space}_{kind}_r{register}"
                setup, at = place(space, name, 16)
                body = f"{setup}\n{dotted('st', state, 'v2.b64')} [{at}], {{%a, %b}};\n"
                offset = {8: 3, 16: 6, 32: 4, 64: 8}[bits]
                body += f"{dotted('ld', state, kind)} %d, [{at}+{offset}];"
                made.append(with_scratch(LANES, name, operands(name, ["b64", "b64"], LANES),
                                         [f"b{register}"], body, 16))  # fmt: skip
    return made


def stores() -> list[Case]:
    made = []
    for space in SPACES:
        state = space if space in ("global", "shared", "local") else ""
        for kind in ("u8", "s8", "b8", "u16", "b16", "b32", "b64"):
            bits = WIDTH.get(kind, 8)
            for register in (16, 32, 64):
                if register < bits:
                    continue
                name = f"st_{space}_{kind}_r{register}"
                setup, at = place(space, name, 16)
                body = f"{setup}\n{dotted('st', state, 'v2.b64')} [{at}], {{%b, %c}};\n"
                offset = {8: 5, 16: 2, 32: 12, 64: 8}[bits]
                body += f"{dotted('st', state, kind)} [{at}+{offset}], %a;\n"
                body += f"{dotted('ld', state, 'v2.b64')} {{%d, %d1}}, [{at}];"
                sources = operands(name, [f"b{register}", "b64", "b64"], LANES)
                made.append(with_scratch(LANES, name, sources, ["b64", "b64"], body, 16))
    return made


def vectors() -> list[Case]:
    made = []
    for space in SPACES:
        state = space if space in ("global", "shared", "local") else ""
        for kind, count in (("u8", 2), ("u8", 4), ("s8", 4), ("b16", 2), ("u16", 4), ("s16", 2),
                            ("b32", 2), ("b32", 4), ("f32", 4), ("b64", 2)):  # fmt: skip
            register = 64 if kind == "b64" else 32
            name = f"ld_{space}_v{count}_{kind}"
            setup, at = place(space, name, 16)
            regs = ["%d", "%d1", "%d2", "%d3"][:count]
            bits = WIDTH[kind]
            if kind in ("b16", "f32", "b32"):
                register = bits
            body = f"{setup}\n{dotted('st', state, 'v2.b64')} [{at}], {{%a, %b}};\n"
            offset = 0 if bits * count == 128 else bits * count // 8
            body += f"{dotted('ld', state, f'v{count}', kind)} {{{', '.join(regs)}}}, [{at}+{offset}];"
            made.append(with_scratch(LANES, name, operands(name, ["b64", "b64"], LANES),
                                     [f"b{register}"] * count, body, 16))  # fmt: skip
            name = f"st_{space}_v{count}_{kind}"
            setup, at = place(space, name, 16)
            body = f"{setup}\n{dotted('st', state, 'v2.b64')} [{at}], {{%e, %f}};\n"
            values = ["%a", "%b", "%c", "%a"] if count == 4 else ["%a", "%b"]
            body += f"{dotted('st', state, f'v{count}', kind)} [{at}+{offset}], {{{', '.join(values)}}};\n"
            body += f"{dotted('ld', state, 'v2.b64')} {{%d, %d1}}, [{at}];"
            sources = operands(name, [f"b{register}"] * 3 + ["b64", "b64"], LANES)
            made.append(with_scratch(LANES, name, sources, ["b64", "b64"], body, 16))
    return made


def qualified() -> list[Case]:
    """Cache operators, hints and orders change no value."""
    made = []
    pairs = [("st.global.wb", "ld.global.ca"), ("st.global.cg", "ld.global.cg"),
             ("st.global.wt", "ld.global.cv"), ("st.global.cs", "ld.global.lu"),
             ("st.volatile.global", "ld.volatile.global"), ("st.volatile.shared", "ld.volatile.shared"),
             ("st.relaxed.gpu.global", "ld.relaxed.gpu.global"), ("st.release.gpu.global", "ld.acquire.gpu.global"),
             ("st.relaxed.cta.shared", "ld.acquire.cta.shared"), ("st.release.sys.global", "ld.acquire.sys.global"),
             ("st.release.cluster.global", "ld.relaxed.cluster.global"), ("st.weak.global", "ld.weak.global"),
             ("st.shared::cta", "ld.shared::cta"), ("st.shared::cluster", "ld.shared::cluster"),
             ("st.global.L1::no_allocate", "ld.global.L1::evict_last"),
             ("st.global.L1::evict_first", "ld.global.L1::evict_unchanged.L2::128B"),
             ("st.mmio.relaxed.sys.global", "ld.mmio.relaxed.sys.global")]  # fmt: skip
    for store, load in pairs:
        for kind in ("b32", "u64"):
            name = (store + "_" + load + "_" + kind).replace(".", "_").replace("::", "_")
            setup, at = place("shared" if "shared" in store else "global", name, 16)
            body = f"{setup}\n{store}.{kind} [{at}], %a;\n{load}.{kind} %d, [{at}];"
            made.append(with_scratch(LANES, name, operands(name, [kind], LANES), [kind], body, 16))
    for load in ("ld.global.nc", "ld.global.nc.L1::no_allocate", "ld.global.nc.L2::256B", "ldu.global"):
        for kind, count in (("u8", 1), ("b32", 1), ("b64", 2), ("f32", 4)):
            name = f"{load}_v{count}_{kind}".replace(".", "_").replace("::", "_")
            at = "mad.wide.u32 %x4, %w0, 16, %x0;\n"
            regs = ["%d", "%d1", "%d2", "%d3"][:count]
            vector = f"v{count}." if count > 1 else ""
            to = regs[0] if count == 1 else "{" + ", ".join(regs) + "}"
            body = f"{at}{load}.{vector}{kind} {to}, [%x4];"
            sources = operands(name, ["b64", "b64"], 64)
            bits = max(WIDTH[kind], 32)
            made.append(elementwise(FAMILY, name, sources, [f"b{bits}"] * count, body))
    name = "ld_const"
    table = f".const .align 4 .b32 {name}_t[8] = {{1, 0xffffffff, 3, 0x80000000, 5, 6, 7, 8}};\n"
    body = f"mov.u64 %x4, {name}_t;\nand.b32 %w1, %a, 7;\nmad.wide.u32 %x4, %w1, 4, %x4;\nld.const.u32 %d, [%x4];"
    made.append(elementwise(FAMILY, name, operands(name, ["b32"], 64), ["b32"], body))
    made[-1].text = table + made[-1].text
    name = "ld_global_initialised"
    table = f".visible .global .align 8 .b16 {name}_t[8] = {{1, 0xffff, 3, 0x8000, 5, 6, 7, 8}};\n"
    body = f"mov.u64 %x4, {name}_t;\nand.b32 %w1, %a, 7;\nmad.wide.u32 %x4, %w1, 2, %x4;\nld.global.s16 %d, [%x4];"
    made.append(elementwise(FAMILY, name, operands(name, ["b32"], 64), ["b32"], body))
    made[-1].text = table + made[-1].text
    name = "isspacep"
    body = (f".shared .align 16 .b8 {name}_m[16];\n.local .align 16 .b8 {name}_l[16];\n"
            f"mov.u64 %x4, {name}_m;\ncvta.shared.u64 %x4, %x4;\n"
            f"mov.u64 %x5, {name}_l;\ncvta.local.u64 %x5, %x5;\nmov.u32 %d, 0;\n")  # fmt: skip
    bit = 1
    for space in ("global", "shared", "local", "const", "shared::cta", "shared::cluster", "param::entry"):
        for pointer in ("%x0", "%x4", "%x5"):
            body += f"isspacep.{space} %p, {pointer};\n@%p or.b32 %d, %d, {bit};\n"
            bit <<= 1
    made.append(elementwise(FAMILY, name, operands(name, ["b32"], 32), ["b32"], body))
    name = "cvta_to"
    body = (f".shared .align 16 .b8 {name}_m[16];\nmov.u64 %x4, {name}_m;\ncvta.shared.u64 %x5, %x4;\n"
            "cvta.to.shared.u64 %x6, %x5;\nsub.s64 %d, %x6, %x4;\ncvta.to.global.u64 %x6, %x0;\n"
            "cvta.global.u64 %x7, %x6;\nsub.s64 %d1, %x7, %x0;")  # fmt: skip
    made.append(elementwise(FAMILY, name, operands(name, ["b32"], 32), ["b64", "b64"], body))
    return made


ATOMIC_LANES = 64
ATOMICS = {
    "add": ["u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.f16x2", "noftz.bf16", "noftz.bf16x2"],
    "min": ["u32", "s32", "u64", "s64"], "max": ["u32", "s32", "u64", "s64"],
    "inc": ["u32"], "dec": ["u32"],
    "and": ["b32", "b64"], "or": ["b32", "b64"], "xor": ["b32", "b64"],
    "exch": ["b32", "b64"], "cas": ["b16", "b32", "b64"],
}  # fmt: skip


def atomics() -> list[Case]:
    """Every lane has its own address: old and new value are certain."""
    made = []
    for space in ("global", "shared", "generic", "generic_shared"):
        state = space if space in ("global", "shared") else ""
        for op, types in ATOMICS.items():
            for full in types:
                kind = full.split(".")[-1]
                name = f"atom_{space}_{op}_{kind}"
                setup, at = place(space, name, 16)
                store = f"{dotted('st', state, f'b{WIDTH[kind]}')} [{at}], %a;\n"
                load = f"{dotted('ld', state, f'b{WIDTH[kind]}')} %d1, [{at}];"
                compare = "%c, %b" if op == "cas" else "%b"
                body = f"{setup}\n{store}{dotted('atom', state, op, full)} %d, [{at}], {compare};\n{load}"
                sources = operands(name, [kind] * (3 if op == "cas" else 2), ATOMIC_LANES)
                if op == "cas":  # half of the comparisons succeed
                    same = [a if i % 2 else c for i, (a, c) in enumerate(zip(sources[0][1], sources[2][1]))]
                    sources[2] = (kind, same)
                element = kind.removesuffix("x2")
                # The payload of a NaN depends on where the addition is done.
                rule = "nan" if kind == "f64" else "bits"
                made.append(with_scratch(ATOMIC_LANES, name, sources, [kind, kind], body, 16,
                                         element=element, rule=rule))  # fmt: skip
                if op in ("exch", "cas"):
                    continue
                name = f"red_{space}_{op}_{kind}"
                setup, at = place(space, name, 16)
                load = load.replace("%d1", "%d")
                body = f"{setup}\n{store}{dotted('red', state, op, full)} [{at}], %b;\n{load}"
                sources = operands(name, [kind] * 2, ATOMIC_LANES)
                made.append(with_scratch(ATOMIC_LANES, name, sources, [kind], body, 16,
                                         element=element, rule=rule))  # fmt: skip
    for order in ("relaxed.cta", "acquire.gpu", "release.gpu", "acq_rel.gpu", "acq_rel.sys", "relaxed.cluster"):
        name = f"atom_{order.replace('.', '_')}_add"
        setup, at = place("global", name, 16)
        body = f"{setup}\nst.global.u32 [{at}], %a;\natom.{order}.global.add.u32 %d, [{at}], %b;\nld.global.u32 %d1, [{at}];"
        made.append(with_scratch(ATOMIC_LANES, name, operands(name, ["u32", "u32"], ATOMIC_LANES), ["u32", "u32"], body, 16))
    return made + vector_atomics() + wide_atomics()


def vector_atomics() -> list[Case]:
    made = []
    forms = [("add", "v2.f32", 32, 2), ("add", "v4.f32", 32, 4)]
    for kind in ("f16", "bf16"):
        for op in ("add", "min", "max"):
            forms += [(op, f"noftz.v2.{kind}", 16, 2), (op, f"noftz.v4.{kind}", 16, 4),
                      (op, f"noftz.v8.{kind}", 16, 8), (op, f"noftz.v2.{kind}x2", 32, 2),
                      (op, f"noftz.v4.{kind}x2", 32, 4)]  # fmt: skip
    for op, full, bits, count in forms:
        kind = full.split(".")[-1]
        name = f"atom_global_{op}_{full}".replace(".", "_")
        setup, at = place("global", name, 16)
        words = bits * count // 32
        store = (f"st.global.v2.b64 [{at}], {{%a, %b}};\nmov.b64 {{%w1, %w2}}, %c;\n"
                 "mov.b64 {%w5, %w6}, %e;\n")  # fmt: skip
        if bits == 16:
            halves = [f"%h{i}" for i in range(count)]
            unpack = "".join(
                f"mov.b32 {{%h{2 * i}, %h{2 * i + 1}}}, {('%w1', '%w2', '%w5', '%w6')[i]};\n"
                for i in range(words)
            )
            old = [f"%o{i}" for i in range(count)]
            declare = f".reg .b16 %o<{count}>;\n"
            operand = ", ".join(halves)
        else:
            unpack = ""
            old = [f"%o{i}" for i in range(count)]
            declare = f".reg .b32 %o<{count}>;\n"
            operand = ", ".join(("%w1", "%w2", "%w5", "%w6")[:count])
        atom = f"{declare}{unpack}atom.global.{op}.{full} {{{', '.join(old)}}}, [{at}], {{{operand}}};\n"
        merge = "".join(
            f"mov.b32 %d{i or ''}, {{%o{2 * i}, %o{2 * i + 1}}};\n" if bits == 16
            else f"mov.b32 %d{i or ''}, %o{i};\n" for i in range(words)
        )  # fmt: skip
        packed = kind if kind == "f32" else kind.removesuffix("x2") + "x2"
        numbers = operands(name, [packed] * 8, ATOMIC_LANES)
        sources = []
        for i in range(4):
            low, high = numbers[2 * i][1], numbers[2 * i + 1][1]
            sources.append(("b64", [a | b << 32 for a, b in zip(low, high)]))
        made.append(with_scratch(ATOMIC_LANES, name, sources, ["b32"] * words, f"{setup}\n{store}{atom}{merge}", 16,
                                 element=packed.removesuffix("x2")))  # fmt: skip
    return made


def wide_atomics() -> list[Case]:
    made = []
    for space in ("global", "shared"):
        for op in ("exch", "cas"):
            name = f"atom_{space}_{op}_b128"
            setup, at = place(space, name, 16)
            body = (f"{setup}\n.reg .b128 %y<4>;\nst.{space}.v2.b64 [{at}], {{%a, %b}};\nmov.b128 %y0, {{%c, %e}};\n"
                    f"mov.b128 %y1, {{%f, %b}};\natom.{space}.{op}.b128 %y2, [{at}], "
                    f"{'%y1, %y0' if op == 'cas' else '%y0'};\nmov.b128 {{%d, %d1}}, %y2;\n"
                    f"ld.{space}.v2.b64 {{%d2, %d3}}, [{at}];")  # fmt: skip
            sources = operands(name, ["b64"] * 5, ATOMIC_LANES)
            sources[4] = ("b64", [a if i % 2 else f for i, (a, f) in enumerate(zip(sources[0][1], sources[4][1]))])
            made.append(with_scratch(ATOMIC_LANES, name, sources, ["b64"] * 4, body, 16))
    return made


def contended() -> list[Case]:
    """All lanes of eight warps at one address; the end is the same in every order."""
    made = []
    for space in ("global", "shared"):
        for instruction in ("atom", "red"):
            for op, kind in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "s32"), ("max", "u64"),
                             ("min", "u32"), ("max", "s64"), ("and", "b32"), ("or", "b64"), ("xor", "b32"),
                             ("inc", "u32"), ("dec", "u32")):  # fmt: skip
                name = f"{instruction}_{space}_{op}_{kind}_contended"
                bits = WIDTH[kind]
                if space == "shared":
                    setup, at = f".shared .align 16 .b8 {name}_m[16];\nmov.u32 %w4, {name}_m;", "%w4"
                else:
                    setup, at = "add.s64 %x4, %x1, {scratch};", "%x4"
                start = {"min": (1 << bits - 1) - 1, "and": (1 << bits) - 1}.get(op, 0)
                limit = "999" if op in ("inc", "dec") else "%a"
                old = "%e9, " if instruction == "atom" else ""
                body = (f"{setup}\n.reg .b{bits} %e9;\nsetp.eq.u32 %p, %w0, 0;\nmov.b{bits} %d, {start};\n"
                        f"@%p st.{space}.b{bits} [{at}], %d;\nbar.sync 0;\n"
                        f"{instruction}.{space}.{op}.{kind} {old}[{at}], {limit};\nbar.sync 0;\n"
                        f"ld.{space}.b{bits} %d, [{at}];")  # fmt: skip
                made.append(with_scratch(256, name, operands(name, [kind], 256), [kind], body, 0))
                if space == "global":
                    made[-1].out_bytes += 16
    return made


def cases() -> list[Case]:
    return loads() + stores() + vectors() + qualified() + atomics() + contended()
