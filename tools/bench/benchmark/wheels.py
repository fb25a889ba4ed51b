"""Libraries of others from wheels, for a machine without a network.

A folder of wheels is unpacked, not installed, and put at the end of sys.path. How to
fill it, where there is a network (X.Y is the GPU machine's Python):

    pip download --no-deps --only-binary=:all: --python-version X.Y \\
        --platform manylinux_2_28_x86_64 -d wheels humming-kernels
    pip wheel --no-deps -w wheels gemlite
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path


def add_to_path(wheels: Path, site: Path) -> list[str]:
    """Unpacks the wheels into `site` and makes them importable; their names."""
    found = sorted(wheels.glob("*.whl"))
    if not found:
        raise SystemExit(f"bench: error: {wheels} holds no wheels (NAME.whl)")
    for wheel in found:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
            for member in archive.infolist():
                mode = member.external_attr >> 16
                if mode & 0o111:  # programs inside wheels; zipfile drops their mode
                    os.chmod(site / member.filename, mode & 0o777)
    # At the end: what the machine has already is not replaced.
    sys.path.append(str(site))
    # Helper processes of these libraries find them too.
    old = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in (old, str(site)) if p)
    return [wheel.name for wheel in found]
