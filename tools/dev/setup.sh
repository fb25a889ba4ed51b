#!/bin/sh
# Installs what the build needs and is missing: Debian packages (with apt, as root
# or through sudo) and a virtual environment in .venv. Does nothing, quickly, when
# all is there. Run it through `make setup`; every failure says what to do.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
requirements="$root/tools/dev/requirements.txt"
venv="$root/.venv"

packages="cmake ninja-build g++ libgtest-dev zlib1g-dev python3-venv
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools"

say() { printf '%s\n' "setup: $*"; }
fail() {
  printf '%s\n' "setup: error: $*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "installing packages needs root: install sudo, run as root, or install by hand:" $packages
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "this is not a Debian system; install the equivalents of these packages, then set" \
      "WNA16_SKIP_APT=1:" $packages
  missing=""
  for package in $packages; do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  say "installing$missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    fail "apt-get update failed; check the network and /etc/apt/sources.list, then run make again"
  if ! apt-cache show libmlir-22-dev >/dev/null 2>&1; then
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-bookworm}")
    fail "apt knows no libmlir-22-dev. Add LLVM's own repository, then run make again:
  wget -qO- https://apt.llvm.org/llvm-snapshot.gpg.key | tee /etc/apt/trusted.gpg.d/llvm.asc
  echo 'deb https://apt.llvm.org/$codename/ llvm-toolchain-$codename-22 main' | tee /etc/apt/sources.list.d/llvm-22.list"
  fi
  # shellcheck disable=SC2086 # a list of words
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing ||
    fail "apt-get install failed; the lines above say why. Run make again when that is solved"
}

make_venv() {
  python=${PYTHON:-python3}
  command -v "$python" >/dev/null 2>&1 || fail "no $python; install Debian's python3 (3.11 or newer)"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" -V 2>&1), wna16 needs 3.11 or newer; name another one: make PYTHON=python3.12"

  stamp="$venv/wna16-requirements.txt"
  if ! cmp -s "$requirements" "$stamp" || ! "$venv/bin/python" -c '' 2>/dev/null; then
    say "making the virtual environment .venv"
    rm -rf "$venv"
    "$python" -m venv "$venv" || {
      rm -rf "$venv"
      fail "$python cannot make a virtual environment; install its venv package" \
        "(Debian: python3-venv)"
    }
    "$venv/bin/python" -m pip install --disable-pip-version-check -q -r "$requirements" || {
      rm -rf "$venv"
      fail "pip could not install the packages of tools/dev/requirements.txt; check that PyPI is" \
        "reachable, then run make again"
    }
    cp "$requirements" "$stamp"
  fi
  # The package is used from the source tree.
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$root/python" >"$site/wna16-source.pth"
}

report_ptxas() {
  if command -v ptxas >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/ptxas ]; then
    return 0
  fi
  say "no ptxas (CUDA toolkit): kernels stop at PTX, no cubins and no register counts;" \
    "everything else works"
}

[ "${WNA16_SKIP_APT:-0}" = 1 ] || install_packages
make_venv
report_ptxas
