"""The seeded faults of faults.py.

A line of a kernel that a fault edits or that a report names has a marker
`// @name`. Edits keep the number of lines, so markers stay where they are.
What is expected is `check@marker`; several are given where it depends on who
comes first which of the two sides of a conflict is seen as the late one.
"""

import dataclasses
import re


@dataclasses.dataclass
class Edit:
    marker: str
    old: str  # "": the whole instruction of that line
    new: str

    def apply(self, ptx: str) -> str:
        lines = ptx.split("\n")
        at = line_of(ptx, self.marker) - 1
        end = at
        while ";" not in lines[end].split("//")[0]:
            end += 1
        if self.old:
            matches = [i for i in range(at, end + 1) if self.old in lines[i]]
            assert matches, f"{self.old!r} is not at @{self.marker}"
            lines[matches[0]] = lines[matches[0]].replace(self.old, self.new, 1)
        else:
            code, _, comment = lines[at].partition("//")
            lines[at] = f"{self.new} //{comment}"
            lines[at + 1 : end + 1] = [""] * (end - at)
        return "\n".join(lines)


def line_of(ptx: str, marker: str) -> int:
    pattern = re.compile(rf"// @{re.escape(marker)}\b(?!-)")
    found = [i for i, line in enumerate(ptx.split("\n"), 1) if pattern.search(line)]
    assert len(found) == 1, f"marker @{marker}: lines {found}"
    return found[0]


def drop(marker: str) -> Edit:
    return Edit(marker, "", "")


def change(marker: str, old: str, new: str) -> Edit:
    return Edit(marker, old, new)


def before(marker: str, text: str) -> Edit:
    return Edit(marker, "    ", "    " + text + " ")


@dataclasses.dataclass
class Fault:
    kernel: str
    name: str
    edits: list[Edit]
    expected: str  # "check@marker ...", or "result": no report, wrong numbers
    options: list[str] = dataclasses.field(default_factory=list)

    def apply(self, ptx: str) -> str:
        for edit in self.edits:
            ptx = edit.apply(ptx)
        return ptx

    def places(self, ptx: str) -> list[tuple[str, int]]:
        pairs = [item.split("@") for item in self.expected.split()]
        return [(check, line_of(ptx, marker)) for check, marker in pairs]


def faults(kernel: str, *rows: tuple) -> list[Fault]:
    return [Fault(kernel, *row) for row in rows]


FAULTS = faults(
    "bulk_ring",  # bulk copies, a producer and two consumers
    ("NS is no multiple of WK", [change("NS", "4", "3")], "mbarrier@wait-full async@read-w"),
    (
        "wrong phase bit of the consumer",
        [change("consumer-phase", "0", "1")],
        "async@read-w deadlock@wait-full",
    ),
    (
        "wrong phase bit of the producer",
        [change("producer-phase", "1", "0")],
        "deadlock@wait-full deadlock@wait-empty",
    ),
    ("expect_tx too small", [change("bytes", "2048", "2032")], "mbarrier@expect"),
    ("expect_tx too large", [change("bytes", "2048", "2064")], "mbarrier@expect"),
    (
        "the producer does not wait for empty stages",
        [drop("wait-empty"), drop("loop-empty")],
        "mbarrier@expect async@copy-w race@copy-w",
    ),
    (
        "the consumer does not wait for full stages",
        [drop("wait-full"), drop("loop-full")],
        "async@read-w",
    ),
    (
        "a consumer never arrives",
        [drop("arrive-empty")],
        "deadlock@wait-full deadlock@wait-empty",
    ),
    ("every lane arrives", [change("arrive-empty", "@%p ", "")], "mbarrier@arrive-empty"),
    ("no barrier after mbarrier.init", [drop("init-barrier")], "mbarrier@wait-full"),
    (
        "mbarrier.init expects too many",
        [change("init-empty", ", 1", ", 2")],
        "deadlock@wait-full deadlock@wait-empty",
    ),
    ("bulk size no multiple of 16", [change("copy-x", "128", "120")], "alignment@copy-x"),
    ("unaligned vector", [change("read-w", "+1152", "+1160")], "alignment@read-w"),
    (
        "no barrier in front of the reduction",
        [drop("reduce-barrier")],
        "race@partial race@read-partial",
    ),
    ("store past the tile", [change("store-y", "@%row0 ", "")], "bounds@store-y"),
    (
        "plain store to an mbarrier",
        [before("arrive-empty", "@%p st.shared.u32 [%empty], %lane;")],
        "mbarrier@arrive-empty",
    ),
)
FAULTS += faults(
    "cp_async_ring",  # every warp copies and reads
    ("wait_group off by one", [change("wait-group", "1", "2")], "async@read-x"),
    ("dropped barrier", [drop("barrier")], "race@read-x race@copy-w async@read-x"),
    (
        "one stage too few",
        [change("stages", "11520", "7680"), change("use-stages", "11520", "7680")],
        "race@copy-w race@copy-x async@read-x async@read-w",
    ),
    (
        "commit_group only after the last copy",
        [change("commit", "cp.async", "@%p cp.async")],
        "async@read-x",
    ),
    ("store past the tile", [change("store-y8", "@%row ", "")], "bounds@store-y8"),
    ("two warps on one row", [change("column", "%warp, 8", "0, 8")], "race@store-y"),
    (
        "rows beyond M are copied",
        [change("size", "0", "16"), change("row-index", ", 0,", ", %i,")],
        "bounds@copy-x",
    ),
)
FAULTS += faults(
    "cp_async_mbarrier",  # copies that arrive
    (
        "plain arrive instead of cp.async.mbarrier.arrive",
        [
            change(
                "arrive-full",
                "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%full]",
                "mbarrier.arrive.shared::cta.b64 %ignored, [%full]",
            )
        ],
        "async@read-w",
    ),
    ("arrive without .noinc", [change("arrive-full", ".noinc", "")], "deadlock@wait-full"),
    ("mbarrier.init expects too few", [change("init-full", "32", "31")], "async@read-w"),
    (
        "the arrival comes before the copies",
        [
            drop("arrive-full"),
            before("copy-x", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%full];"),
        ],
        "async@read-w",
    ),
)
FAULTS += faults(
    "cluster_reduce",  # st.async and multicast
    (
        "expect_tx too small",
        [change("expect-sums", "256", "128")],
        "mbarrier@expect-sums cluster@send",
    ),
    ("expect_tx too large", [change("expect-sums", "256", "512")], "mbarrier@expect-sums"),
    (
        "no wait for the other block's mbarriers",
        [drop("arrive"), drop("wait")],
        "mbarrier@multicast mbarrier@send mbarrier@wait-scales",
    ),
    (
        "no fence.mbarrier_init",
        [drop("init-fence")],
        "mbarrier@multicast mbarrier@send mbarrier@wait-scales",
    ),
    ("no block of that rank", [change("remote", "%owner", "2")], "cluster@remote"),
    (
        "sums are read without a wait",
        [drop("wait-sums"), drop("loop-sums")],
        "async@read-sum",
    ),
    (
        "multicast to one block only",
        [change("both", "3", "1")],
        "mbarrier@expect-scales mbarrier@expect-sums",
    ),
)
FAULTS += faults(
    "cluster_read",  # distributed shared memory
    (
        "a block exits while it is read",
        [drop("arrive-read"), drop("wait-read")],
        "cluster@read",
    ),
    (
        "no barrier before the read",
        [drop("arrive-written"), drop("wait-written")],
        "race@write race@read",
    ),
    ("relaxed arrival", [change("arrive-written", ".release", ".relaxed")], "race@read"),
)
FAULTS += faults(
    "ticket",  # release and acquire in global memory
    ("no release fence", [drop("release")], "race@read-partial"),
    ("no acquire fence", [drop("acquire")], "race@read-partial"),
    (
        "fences of a block only",
        [change("release", ".gpu", ".cta"), change("acquire", ".gpu", ".cta")],
        "race@read-partial",
    ),
    ("no barrier before the ticket", [drop("before-ticket")], "race@read-partial"),
    ("no barrier after the ticket", [drop("after-ticket")], "race@read-ticket race@share"),
    ("two splits on one row of partials", [change("place", "%split", "0")], "race@partial"),
)
FAULTS += faults(
    "lookback",  # blocks that wait for blocks
    (
        "a block waits for a later one",
        [change("poll", "-4", "4")],
        "deadlock@poll deadlock@loop",
        ["--resident", "1"],
    ),
    (
        "the position is the block's index",
        [
            change(
                "position",
                "atom.relaxed.gpu.global.add.u32 %j, [%counter], 1",
                "mov.u32 %j, %ctaid.x",
            )
        ],
        "deadlock@poll deadlock@loop",
        ["--resident", "1", "--block-order", "reverse"],
    ),
    ("relaxed poll", [change("poll", ".acquire", ".relaxed")], "race@read-y"),
    ("relaxed flag", [change("flag", ".release", ".relaxed")], "race@read-y"),
)
FAULTS += faults(
    "dependent",  # programmatic dependent launch
    ("x is read before griddepcontrol.wait", [drop("wait")], "dependency@read-x"),
)
FAULTS += faults(
    "roles",  # named barriers
    (
        "the producer never arrives",
        [drop("arrive-full")],
        "deadlock@wait-full deadlock@wait-empty",
    ),
    (
        "the producer does not wait",
        [drop("wait-empty")],
        "deadlock@wait-full race@store race@load",
    ),
    ("the consumer does not wait", [drop("wait-full")], "race@load race@store"),
    (
        "lanes are missing at setmaxnreg",
        [before("give", "setp.ne.u32 %p, %lane, 5; @%p")],
        "divergence@give",
    ),
    (
        "lanes are missing at a barrier",
        [before("arrive-full", "setp.ne.u32 %p, %lane, 5; @%p")],
        "divergence@arrive-full",
    ),
)
FAULTS += faults(
    "tensor_wgmma",  # tensor copies, wgmma, a tensor store
    ("missing fence.proxy.async", [drop("proxy")], "proxy@store-y"),
    ("missing wgmma wait", [drop("wait")], "wgmma@copy-x wgmma@cvt"),
    ("wgmma wait off by one", [change("wait", " 0", " 1")], "wgmma@copy-x wgmma@cvt"),
    ("missing wgmma.fence", [drop("fence")], "wgmma@wgmma0"),
    (
        "the staging area is written while it is stored",
        [drop("wait-read")],
        "async@write-y race@write-y",
    ),
    (
        "no barrier between waiting and writing",
        [drop("free-barrier")],
        "async@write-y race@write-y",
    ),
    ("no barrier before the store", [drop("staged-barrier")], "race@store-y async@write-y"),
    (
        "expect_tx too small",
        [change("bytes", "16384", "8192")],
        "mbarrier@expect async@wgmma0",
    ),
    ("expect_tx too large", [change("bytes", "16384", "32768")], "mbarrier@expect"),
    ("swapped swizzle of the staging area", [change("swizzle-xor", "%j", "0")], "result"),
    ("wrong swizzle of the descriptor", [change("descriptor", "0x4", "0x8")], "wgmma@wgmma0"),
    ("the block exits before its store has read", [drop("wait-store")], "async@store-y"),
)
FAULTS += faults(
    "register_wgmma",  # A in registers
    ("A is overwritten while it is read", [drop("wait1")], "wgmma@reuse"),
    ("missing wgmma.fence after writing A", [drop("fence2")], "wgmma@wgmma2"),
    ("missing wgmma wait", [drop("wait3")], "wgmma@copy-x wgmma@dequantise"),
    ("wgmma wait off by one", [change("wait1", " 1", " 2")], "wgmma@reuse"),
)
FAULTS += faults(
    "cp_async_wgmma",  # cp.async feeds wgmma
    ("missing fence.proxy.async", [drop("proxy")], "proxy@wgmma0"),
    ("wait_group off by one", [change("wait-group", "1", "2")], "async@wgmma0"),
    ("dropped barrier", [drop("barrier")], "race@wgmma0 async@wgmma0"),
    (
        "a stage is refilled while it is read",
        [drop("read")],
        "async@wgmma0 wgmma@copy-w race@copy-w",
    ),
    ("swapped swizzle", [change("swizzle", "%i", "0")], "result"),
)
