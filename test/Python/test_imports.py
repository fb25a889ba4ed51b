"""What importing the package costs, and which module may do what."""

import re
import subprocess
import sys
from pathlib import Path

import wna16

PACKAGE = Path(wna16.__file__).parent


def test_import_is_light():
    probe = (
        "import sys; import wna16; "
        "print([m for m in ('torch', 'subprocess', 'cupy', 'ml_dtypes') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr


def modules_with(pattern: str) -> set[str]:
    return {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(pattern, path.read_text())
    }


def test_one_place_reads_the_environment():
    assert modules_with(r"os\.environ|getenv") == {"settings.py"}


def test_one_place_starts_processes():
    assert modules_with(r"\bsubprocess\b|os\.system|Popen") == {"toolchain.py"}


def test_one_place_calls_each_c_library():
    assert modules_with(r"import ctypes|from ctypes") == {"runtime.py", "native.py"}


def test_reference_shares_no_code_with_the_packer():
    assert not re.search(r"from \.|import wna16", (PACKAGE / "reference.py").read_text())


def test_public_names_exist():
    assert all(hasattr(wna16, name) for name in wna16.__all__)
