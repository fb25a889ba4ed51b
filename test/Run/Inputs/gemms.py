"""What the scripts here have in common: the text of a gemm, and a run that must be right."""
import subprocess
import sys

#: Kinds of data and of gaps between the rows of x, which take turns.
DATA = ("adversarial", "onehot", "random")
PADDING = (0, 8)

TYPES = """\
!x = tensor<?x{k}x{dtype}>
!w = tensor<{stored_k}x{stored_n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<{groups}x{stored_n}x{dtype}, #wna16.layout<marlin_scales>>
!b = tensor<1x{stored_n}x{bias}>
!y = tensor<?x{n}x{out}>
"""


def sizes(text):
    """Of "72/128": what x or y has, and what the weights have."""
    logical, _, stored = text.partition("/")
    return int(logical), int(stored or logical)


def module(kernels, n, k, group, dtype, stored=None, out=None, bias=None):
    """Kernels that call their types !x, !w, !s, !b and !y. The weights are N, K = `stored`."""
    stored_n, stored_k = stored or (n, k)
    facts = {"n": n, "k": k, "stored_n": stored_n, "stored_k": stored_k, "dtype": dtype}
    facts |= {"groups": stored_k // group, "out": out or dtype, "bias": bias or dtype}
    return TYPES.format(**facts) + kernels


def call(*command):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def run(record, m, k, data, padding, *options):
    symbols = ["--symbol", f"M={m}", "--symbol", f"ldx={-(-k // 8) * 8 + padding}"]
    out = call("wna16-run", record, *symbols, "--data", data, *options)
    # Exit status 0 alone would also be that of a run without a reference.
    wanted = ": right\n" if m else "nothing to launch"
    if wanted not in out:
        sys.exit(f"expected '{wanted.strip()}' for M = {m} of {record} {options}:\n{out}")
