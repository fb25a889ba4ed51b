"""Runs the reference lowering of the ops of mixtures of experts on a CPU.

The routing below is written from docs/spec.md in plain loops and shares nothing
with the compiler. Cases have the names of what users report: experts without
tokens, ids out of range, one expert for all.

usage: moe.py DIRECTORY_OF_MLIR_RUNNER_LIBRARIES
"""

import sys

import numpy as np
import reference as ref


def route(ids, experts, rows, expert_map=None):
    """Segments and slots, by docs/spec.md."""
    tokens, top_k = ids.shape
    positions = tokens * top_k
    slots_of = [[] for _ in range(experts)]
    for slot in range(positions):
        e = local(ids[slot // top_k, slot % top_k], experts, expert_map)
        if e is not None:
            slots_of[e].append(slot)
    segments, slots = [], []
    for e, mine in enumerate(slots_of):
        for begin in range(0, len(mine), rows):
            segments.append([e, len(slots) + begin, min(rows, len(mine) - begin), 0])
        slots += mine
    busy = min(positions, experts)
    bound = busy + (positions - busy) // rows
    assert len(segments) <= bound, "the bound of docs/spec.md does not hold"
    segments += [[0, 0, 0, 0]] * (bound - len(segments))
    slots += [positions] * (positions - len(slots))
    return np.array(segments, np.int32).reshape(-1, 4), np.array(slots, np.int32)


def local(expert, experts, expert_map):
    if expert_map is not None:
        if not 0 <= expert < len(expert_map):
            return None
        expert = expert_map[expert]
    return int(expert) if 0 <= expert < experts else None


def tensor_type(array, element):
    return "tensor<" + "x".join(map(str, array.shape)) + f"x{element}>"


def constant(name, array, element):
    """A constant, and the same with dynamic rows."""
    return f"      %{name} = {ref.dense(array, element)}\n"


def printed(value, rows, columns, element):
    kind = {"i32": "I32", "f32": "F32"}[element]
    return f"""
      %buffer = bufferization.to_buffer {value} : tensor<{rows}x{columns}x{element}> to memref<{rows}x{columns}x{element}>
      %any = memref.cast %buffer : memref<{rows}x{columns}x{element}> to memref<*x{element}>
      call @printMemref{kind}(%any) : (memref<*x{element}>) -> ()
      return
    }}
    func.func private @printMemref{kind}(memref<*x{element}>) attributes {{llvm.emit_c_interface}}
    """


def check_route(libraries, ids, experts, rows, expert_map=None):
    ids = np.array(ids, np.int32)
    tokens, top_k = ids.shape
    segments, slots = route(ids, experts, rows, expert_map)
    m_type = f", tensor<{len(expert_map)}xi32>" if expert_map is not None else ""
    m_use = " map %map" if m_type else ""
    m_arg = f", %map: tensor<{len(expert_map)}xi32>" if m_type else ""
    # Both tables as one: the numbers of segments, then the slots.
    total = segments.size + slots.size
    function = f"""
    func.func @layer(%ids: tensor<?x{top_k}xi32>{m_arg}) -> (tensor<?x4xi32>, tensor<?xi32>) {{
      %segments, %slots = wna16.moe_route %ids{m_use} {{experts = {experts} : i64, segment_rows = {rows} : i64}}
          : (tensor<?x{top_k}xi32>{m_type}) -> (tensor<?x4xi32>, tensor<?xi32>)
      return %segments, %slots : tensor<?x4xi32>, tensor<?xi32>
    }}"""
    main = "    func.func @main() {\n" + constant("ids0", ids, "i32")
    if m_type:
        main += constant("map", np.array(expert_map, np.int32), "i32")
    main += f"""
      %ids = tensor.cast %ids0 : {tensor_type(ids, "i32")} to tensor<?x{top_k}xi32>
      %segments, %slots = call @layer(%ids{", %map" if m_type else ""})
          : (tensor<?x{top_k}xi32>{m_type}) -> (tensor<?x4xi32>, tensor<?xi32>)
      %s0 = tensor.cast %segments : tensor<?x4xi32> to {tensor_type(segments, "i32")}
      %s1 = tensor.collapse_shape %s0 [[0, 1]] : {tensor_type(segments, "i32")} into tensor<{segments.size}xi32>
      %p1 = tensor.cast %slots : tensor<?xi32> to tensor<{slots.size}xi32>
      %all = tensor.concat dim(0) %s1, %p1 : (tensor<{segments.size}xi32>, tensor<{slots.size}xi32>) -> tensor<{total}xi32>
      %line = tensor.expand_shape %all [[0, 1]] output_shape [1, {total}] : tensor<{total}xi32> into tensor<1x{total}xi32>
      {printed("%line", 1, total, "i32")}"""
    got = execute(function, main, libraries)
    return bool(np.array_equal(got, np.concatenate([segments.ravel(), slots])))


def execute(function, main, libraries):
    return ref.execute(function, main, libraries)


def check_layer(libraries, tokens, top_k, experts, rows, *, x_rows, y_rows, seed=0,
                global_experts=None, weigh=None, asymmetric=False, broken=False):  # fmt: skip
    """moe_route, moe_gemm and moe_sum, or moe_gemm on tables that no router writes."""
    rng = np.random.default_rng(seed)
    k, n, group = 32, 64, 16
    positions = tokens * top_k
    expert_map = None
    if global_experts:
        expert_map = np.full(global_experts, -1, np.int32)
        expert_map[rng.permutation(global_experts)[:experts]] = np.arange(experts)
    ids = rng.integers(-1, (global_experts or experts) + 1, (tokens, top_k)).astype(np.int32)
    segments, slots = route(ids, experts, rows, expert_map)
    if broken:
        segments[0, 0], segments[1, 1], segments[2, 2] = experts, positions, 2**31 - 1
        slots[::3] = [positions, -1, 2**31 - 1][seed % 3]

    x = ref.random_floats(rng, (tokens if x_rows == "token" else positions, k), "f16")
    words = rng.integers(0, 1 << 32, (experts, k * n // 8), dtype=np.uint32)
    scales = ref.random_floats(rng, (experts, k // group, n), "f16")
    bias = ref.random_floats(rng, (experts, 1, n), "f16")
    zeros = rng.integers(0, 1 << 32, (experts, k // group * n // 8), dtype=np.uint32)
    router = rng.uniform(0.1, 1, (tokens, top_k)).astype(np.float32)

    offset = "" if asymmetric else ", offset = 8"
    types = dict(
        x=f"tensor<?x{k}xf16>",
        w=f"tensor<{experts}x{k}x{n}x!wna16.code<4{offset}>, #wna16.layout<marlin>>",
        s=f"tensor<{experts}x{k // group}x{n}xf16>",
        segments="tensor<?x4xi32>",
        slots="tensor<?xi32>",
    )
    clauses = ""
    if asymmetric:
        types["z"] = (
            f"tensor<{experts}x{k // group}x{n}x!wna16.code<4>, #wna16.layout<gptq_zeros>>"
        )
        types["b"] = f"tensor<{experts}x1x{n}xf16>"
        clauses = " zeros %z bias %b"
    if weigh == "gemm":
        types["v"] = f"tensor<?x{top_k}xf32>"
        clauses += " weights %v"
    in_sum = weigh == "sum"
    sum_types = dict(ids=f"tensor<?x{top_k}xi32>")
    if expert_map is not None:
        sum_types["map"] = f"tensor<{len(expert_map)}xi32>"
    if in_sum:
        sum_types["v"] = f"tensor<?x{top_k}xf32>"
    arguments = {**types, **sum_types}
    signature = ", ".join(f"%{name}: {type}" for name, type in arguments.items())
    m_use = " map %map" if expert_map is not None else ""
    with_sum = y_rows == "slot" and not broken
    out_rows = tokens if with_sum else positions
    function = f"""
    func.func @layer({signature}) -> tensor<?x{n}xf32> {{
      %y = wna16.moe_gemm %x by {x_rows}, %w, %s segments %segments slots %slots{clauses} to {y_rows}
          {{segment_rows = {rows} : i64, top_k = {top_k} : i64}}
          : ({", ".join(types.values())}) -> tensor<?x{n}xf32>
"""
    if with_sum:
        function += f"""
      %t = wna16.moe_sum %y ids %ids{m_use}{" weights %v" if in_sum else ""} {{experts = {experts} : i64}}
          : (tensor<?x{n}xf32>, {", ".join(sum_types.values())}) -> tensor<?x{n}xf32>
      return %t : tensor<?x{n}xf32>
    }}"""
    else:
        function += f"      return %y : tensor<?x{n}xf32>\n    }}"
    values = dict(
        x=(ref.bits_of(x, "f16"), "f16"), w=(words.reshape(-1), "i32"),
        s=(ref.bits_of(scales, "f16"), "f16"), segments=(segments, "i32"),
        slots=(slots, "i32"), z=(zeros.reshape(-1), "i32"), b=(ref.bits_of(bias, "f16"), "f16"),
        ids=(ids, "i32"), v=(router, "f32"),
        map=(expert_map, "i32"),
    )  # fmt: skip
    main = "    func.func @main() {\n"
    stored = {}
    for name, type in arguments.items():
        array, element = values[name]
        plain = tensor_type(array, element)
        if "?" in type:
            main += constant(name + "0", array, element)
            main += f"      %{name} = tensor.cast %{name}0 : {plain} to {type}\n"
            stored[name] = type
        else:
            main += constant(name, array, element)
            stored[name] = plain
    main += f"""
      %y = call @layer({", ".join("%" + name for name in arguments)})
          : ({", ".join(stored.values())}) -> tensor<?x{n}xf32>
      %y0 = tensor.cast %y : tensor<?x{n}xf32> to tensor<{out_rows}x{n}xf32>
      {printed("%y0", out_rows, n, "f32")}"""
    got = execute(function, main, libraries).reshape(out_rows, n)

    want = np.zeros((positions, n))
    covered = np.zeros(positions, bool)
    for e, first, count, _ in segments.astype(np.int64):
        if not 0 <= e < experts:
            continue
        codes = ref.unpack(words[e], "marlin", k, n, 4).astype(np.float64)
        zero = np.full((k // group, n), 8.0)
        if asymmetric:
            zero = ref.unpack(zeros[e], "gptq_zeros", k // group, n, 4).astype(np.float64)
        matrix = codes - np.repeat(zero, group, axis=0)
        matrix *= np.repeat(scales[e].astype(np.float64), group, axis=0)
        for p in range(first, min(first + min(count, rows), positions)):
            slot = int(slots[p])
            if not 0 <= slot < positions:
                continue
            x_row = {"token": slot // top_k, "slot": slot, "position": p}[x_rows]
            row = x[x_row].astype(np.float64) @ matrix
            if asymmetric:
                row = row + bias[e, 0]
            if weigh == "gemm":
                row = row * router[slot // top_k, slot % top_k]
            y_row = slot if y_rows == "slot" else p
            want[y_row] = row
            covered[y_row] = True
    if with_sum:
        if in_sum:
            want *= router.reshape(-1, 1)
        for slot in range(positions):
            kept = local(ids[slot // top_k, slot % top_k], experts, expert_map) is not None
            assert kept == covered[slot]
        want = (want * covered[:, None]).reshape(tokens, top_k, n).sum(axis=1)
        covered = np.ones(tokens, bool)
    return bool(np.all(np.abs(got - want)[covered] <= 1e-3 + 1e-4 * np.abs(want)[covered]))


RNG = np.random.default_rng(7)
CASES = [
    ("three experts", check_route, dict(ids=[[0, 2], [1, 2], [2, 0]], experts=3, rows=2)),
    ("59 of 60 experts empty", check_route, dict(ids=[[17]] * 9, experts=60, rows=4)),
    ("all to the last expert", check_route, dict(ids=[[4, 4]] * 5, experts=5, rows=8)),
    ("one expert", check_route, dict(ids=[[0]] * 7, experts=1, rows=4)),
    ("one token", check_route, dict(ids=[[3]], experts=144, rows=16)),
    ("ids out of range (F5)", check_route,
     dict(ids=[[-1, 0], [6, 7], [-2**31, 2**31 - 1]], experts=7, rows=8)),
    ("a map without some experts (F4)", check_route,
     dict(ids=[[0, 1], [2, 3], [4, 5], [-1, 1]], experts=2, rows=8,
          expert_map=[-1, 1, -1, 0, 2])),
    ("top_k 16", check_route,
     dict(ids=RNG.integers(0, 60, (3, 16)), experts=60, rows=4)),
    ("1024 experts (F6)", check_route,
     dict(ids=RNG.integers(0, 1024, (9, 2)), experts=1024, rows=2)),
    ("first product", check_layer,
     dict(tokens=5, top_k=2, experts=3, rows=2, x_rows="token", y_rows="slot", weigh="sum")),
    ("weights in the product (F2)", check_layer,
     dict(tokens=4, top_k=1, experts=2, rows=16, x_rows="token", y_rows="slot", weigh="gemm",
          seed=1)),
    ("no weights (F3)", check_layer,
     dict(tokens=4, top_k=3, experts=5, rows=4, x_rows="slot", y_rows="slot", seed=2)),
    ("by position, zero points, bias", check_layer,
     dict(tokens=4, top_k=2, experts=3, rows=4, x_rows="position", y_rows="position",
          asymmetric=True, seed=3)),
    ("a slice of the experts (F4)", check_layer,
     dict(tokens=6, top_k=2, experts=3, rows=4, global_experts=8, x_rows="token",
          y_rows="slot", weigh="sum", asymmetric=True, seed=4)),
    *[(f"broken tables {seed}", check_layer,
       dict(tokens=6, top_k=2, experts=3, rows=2, x_rows="token", y_rows="slot", broken=True,
            seed=seed)) for seed in range(3)],
]  # fmt: skip


def main():
    libraries = sys.argv[1]
    wrong = 0
    for name, check, arguments in CASES:
        good = check(libraries, **arguments)
        wrong += not good
        print("ok   " if good else "WRONG", name)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
