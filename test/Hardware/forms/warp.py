"""Instructions through which the lanes of a warp talk, and what a lane knows of itself."""

from cases import Case, elementwise
from values import Numbers, operands, values

FAMILY = "warp"
ALL = "0xffffffff"
LANES = 256


def shuffle(mode: str, uniform_width: int | None) -> Case:
    """Widths from 1 to 32; without one every lane has its own bound and mask."""
    name = f"shfl_sync_{mode}_{uniform_width or 'any'}"
    numbers = Numbers(name)
    sources = [("b32", values(name, "b32"))]
    sources.append(("b32", [numbers.below(32) if numbers.chance(7, 8) else numbers.below(64)
                            for _ in range(LANES)]))  # fmt: skip
    if uniform_width:
        bound = (32 - uniform_width) << 8 | (0 if mode == "up" else 0x1F)
        clamps = [bound] * LANES
    else:
        clamps = [numbers.below(32) << 8 | numbers.below(32) for _ in range(LANES)]
    sources.append(("b32", clamps))
    body = f"shfl.sync.{mode}.b32 %d|%p, %a, %b, %c, {ALL};\nselp.u32 %d1, 1, 0, %p;"
    return elementwise(FAMILY, name, sources, ["b32", "u32"], body)


def shuffle_immediate(mode: str, distance: int, bound: int) -> Case:
    name = f"shfl_sync_{mode}_{distance}_{bound}"
    body = f"shfl.sync.{mode}.b32 %d, %a, {distance}, {bound}, {ALL};"
    return elementwise(FAMILY, name, [("b32", values(name, "b32"))], ["b32"], body)


def masked(name: str, mask: int, instruction: str, results: list[str]) -> Case:
    """Only the lanes of `mask` execute the instruction; the others keep 7."""
    moves = "".join(f"mov.b32 {r}, 7;\n" for r in ("%d", "%d1")[: len(results)])
    body = (
        f"mov.u32 %w1, %laneid;\nmov.u32 %w2, 0x{mask:x};\nshr.u32 %w3, %w2, %w1;\n"
        f"and.b32 %w3, %w3, 1;\nsetp.ne.u32 %u, %w3, 0;\nsetp.lt.s32 %q, %a, 0;\n"
        f"setp.ne.u32 %p, %w3, %w3;\n{moves}"
        f"@!%u bra $after_{name};\n{instruction}\n$after_{name}:\nbar.warp.sync {ALL};"
    )
    numbers = Numbers(name)
    words = [numbers.pick([0, 1, 2, 0x80000000, 0xFFFFFFFF]) if numbers.chance(1, 2)
             else numbers.word() & 0xFFFFFFFF for _ in range(LANES)]  # fmt: skip
    return elementwise(FAMILY, name, [("b32", words)], results, body)


def alike(name: str, bits: int) -> list[tuple[str, list[int]]]:
    """Few different values; whole warps of one value."""
    numbers = Numbers(name)
    column = []
    for warp in range(LANES // 32):
        choices = [numbers.word() & ((1 << bits) - 1) for _ in range([1, 2, 3, 5, 1, 32, 2, 8][warp])]
        column += [numbers.pick(choices) for _ in range(32)]
    return [(f"b{bits}", column)]


def cases() -> list[Case]:
    made = []
    for mode in ("up", "down", "bfly", "idx"):
        for width in (1, 2, 4, 8, 16, 32, None):
            made.append(shuffle(mode, width))
        made.append(shuffle_immediate(mode, 3, 0 if mode == "up" else 31))
        made.append(shuffle_immediate(mode, 1, 0x1C00 if mode == "up" else 0x1C1F))
    for mode, test in (("all", "eq"), ("any", "eq"), ("uni", "eq"), ("all", "ne"), ("any", "ne")):
        name = f"vote_sync_{mode}_{test}"
        body = f"setp.{test}.b32 %p, %a, %b;\nvote.sync.{mode}.pred %q, %p, {ALL};\nselp.u32 %d, 1, 0, %q;"
        column = alike(name, 32)[0]
        first = [column[1][i // 32 * 32] for i in range(LANES)]
        made.append(elementwise(FAMILY, name, [column, ("b32", first)], ["u32"], body))
    name = "vote_sync_ballot"
    body = f"setp.lt.s32 %p, %a, 0;\nvote.sync.ballot.b32 %d, !%p, {ALL};"
    made.append(elementwise(FAMILY, name, operands(name, ["s32"]), ["b32"], body))
    for bits in (32, 64):
        name = f"match_any_sync_b{bits}"
        made.append(elementwise(FAMILY, name, alike(name, bits), ["b32"],
                                f"match.any.sync.b{bits} %d, %a, {ALL};"))  # fmt: skip
        name = f"match_all_sync_b{bits}"
        body = f"match.all.sync.b{bits} %d|%p, %a, {ALL};\nselp.u32 %d1, 1, 0, %p;"
        made.append(elementwise(FAMILY, name, alike(name, bits), ["b32", "u32"], body))
    for op, kinds in (("add", ("u32", "s32")), ("min", ("u32", "s32")), ("max", ("u32", "s32")),
                      ("and", ("b32",)), ("or", ("b32",)), ("xor", ("b32",))):  # fmt: skip
        for kind in kinds:
            name = f"redux_sync_{op}_{kind}"
            made.append(elementwise(FAMILY, name, operands(name, [kind]), [kind],
                                    f"redux.sync.{op}.{kind} %d, %a, {ALL};"))  # fmt: skip
            made.append(masked(f"redux_sync_{op}_{kind}_masked", 0x5A5A0FF0,
                               f"redux.sync.{op}.{kind} %d, %a, %w2;", ["b32"]))  # fmt: skip
    for mask in (0xFFFFFFFF, 0x0000FFFF, 0xFFFF0000, 0x11111110, 0x80000000, 0x7FFFFFFE):
        tag = f"{mask:08x}"
        made.append(masked(f"elect_sync_{tag}", mask,
                           "elect.sync %d|%p, %w2;\nselp.u32 %d1, 1, 0, %p;", ["b32", "b32"]))  # fmt: skip
        made.append(masked(f"vote_ballot_{tag}", mask, "vote.sync.ballot.b32 %d, %q, %w2;", ["b32"]))
        made.append(masked(f"vote_any_{tag}", mask,
                           "vote.sync.any.pred %p, %q, %w2;\nselp.u32 %d, 1, 0, %p;", ["b32"]))  # fmt: skip
        made.append(masked(f"vote_all_{tag}", mask,
                           "vote.sync.all.pred %p, !%q, %w2;\nselp.u32 %d, 1, 0, %p;", ["b32"]))  # fmt: skip
        made.append(masked(f"vote_uni_{tag}", mask,
                           "vote.sync.uni.pred %p, %q, %w2;\nselp.u32 %d, 1, 0, %p;", ["b32"]))  # fmt: skip
        made.append(masked(f"match_any_{tag}", mask, "match.any.sync.b32 %d, %a, %w2;", ["b32"]))
        made.append(masked(f"match_all_{tag}", mask,
                           "match.all.sync.b32 %d|%p, %w3, %w2;\nselp.u32 %d1, 1, 0, %p;",
                           ["b32", "b32"]))  # fmt: skip
        made.append(masked(f"bar_warp_sync_{tag}", mask,
                           "bar.warp.sync %w2;\nand.b32 %d, %w2, -1;", ["b32"]))  # fmt: skip
    for mask, bound in ((0x0000FFFF, 0x101F), (0xFF00FF00, 0x181F)):
        made.append(masked(f"shfl_bfly_{mask:08x}", mask,
                           f"shfl.sync.bfly.b32 %d|%p, %a, 5, {bound}, %w2;\nselp.u32 %d1, 1, 0, %p;",
                           ["b32", "b32"]))  # fmt: skip
    for register in ("laneid", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",
                     "lanemask_ge", "tid.x", "tid.y", "ntid.x", "ntid.z", "ctaid.x", "nctaid.x",
                     "cluster_ctaid.x", "cluster_nctaid.x", "cluster_ctarank", "cluster_nctarank",
                     "clusterid.x", "nclusterid.x", "dynamic_smem_size"):  # fmt: skip
        name = "special_" + register.replace(".", "_")
        sources = [("b32", [0] * 64)]
        made.append(elementwise(FAMILY, name, sources, ["u32"], f"mov.u32 %d, %{register};"))
    for op in ("and", "or"):
        name = f"bar_red_{op}"
        body = f"setp.ne.u32 %p, %a, 3;\nbarrier.cta.red.{op}.pred %q, 0, %p;\nselp.u32 %d, 1, 0, %q;\n"
        body += f"setp.gt.s32 %p, %a, -1;\nbar.red.{op}.pred %q, 1, !%p;\nselp.u32 %d1, 1, 0, %q;"
        made.append(elementwise(FAMILY, name, operands(name, ["s32"]), ["u32", "u32"], body))
    name = "bar_red_popc"
    body = "setp.lt.s32 %p, %a, 0;\nbar.red.popc.u32 %d, 2, %p;\nbarrier.cta.red.popc.aligned.u32 %d1, 3, 256, !%p;"
    made.append(elementwise(FAMILY, name, operands(name, ["s32"]), ["u32", "u32"], body))
    return made
