#!/usr/bin/env bash
# Looks for PTX text that makes the emulator crash, hang or leak.
#
#   fuzz.sh DIR [SECONDS]
#
# Builds test/Fuzz/PtxFuzzer.cpp with clang's libFuzzer and sanitizers in DIR and
# runs it for SECONDS (default 600), starting from the PTX files of the tests. A
# text that fails stays in DIR as crash-*; the exit status is then not 0.
set -euo pipefail
dir=${1:?usage: fuzz.sh DIR [SECONDS]}
seconds=${2:-600}
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v clang++ >/dev/null || {
  echo "fuzz: error: no clang++; install it: apt-get install clang" >&2
  exit 1
}
mkdir -p "$dir/objects" "$dir/corpus"
dir=$(cd "$dir" && pwd)
compile() {
  # Versions of a function for several processors do not link with clang 14.
  clang++ -std=c++20 -O1 -g -ffp-contract=off '-Dtarget_clones(...)=' -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=undefined -I"$root" -c "$1" -o "$dir/objects/$(basename "$1").o"
}
export -f compile
export root dir
printf '%s\0' "$root"/lib/Emulator/*.cpp "$root"/test/Fuzz/PtxFuzzer.cpp |
  xargs -0 -P "$(nproc)" -I{} bash -c 'compile {}'
clang++ -fsanitize=fuzzer,address,undefined "$dir"/objects/*.o -o "$dir/PtxFuzzer"
find "$root/test/Emulator" -name '*.ptx' -size -64k -exec cp -n -t "$dir/corpus" {} +
cd "$dir"
exec ./PtxFuzzer -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
  -max_len=65536 -verbosity=0 -print_final_stats=1 corpus
