"""The shapes that are tested and measured on a GPU: (name, N, K)."""

#: Layers of Llama-3-8B and Llama-2-70B, and what one GPU of two would hold.
BENCHMARK = (
    ("8b.qkv", 6144, 4096),
    ("8b.o", 4096, 4096),
    ("8b.gate_up", 28672, 4096),
    ("8b.down", 4096, 14336),
    ("70b.o", 8192, 8192),
    ("70b.gate_up", 57344, 8192),
    ("70b.down", 8192, 28672),
)

#: Small and odd ones: one tile, one group, N that is no multiple of 128, K / 128
#: that warps cannot share evenly.
CORRECTNESS = (
    ("one_tile", 64, 128),
    ("two_by_three", 256, 384),
    ("fixture", 384, 512),
    ("odd_n", 2368, 1664),
    ("odd_groups", 192, 2176),
)

#: Decode, mid and prefill; what is asked for by --m need not be among them.
BENCHMARK_M = (1, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 4096, 8192)
CORRECTNESS_M = (0, 1, 7, 8, 9, 15, 16)
#: Beyond decode: partial and whole tiles of every height, and several of them.
ANY_M = (1, 7, 16, 17, 33, 64, 65, 100, 128, 130, 257, 300)


def folder_name(problem) -> str:
    """Where a bundle has the kernels of a problem for the tests."""
    return f"n{problem.n}_k{problem.k}_m{problem.max_m}_{problem.dtype}"
