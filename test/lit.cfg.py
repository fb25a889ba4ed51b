# lit configuration of the wna16 tests (names, substitutions, features).
#
# A test is a .mlir, .test or .ptx file with RUN lines. Tools are found by their
# plain names: this build's first (wna16-opt, wna16-compile, wna16-run, ...),
# then LLVM's own (FileCheck, not, split-file, mlir-opt, mlir-runner).
#
# Features, for REQUIRES / UNSUPPORTED lines:
#   ptxas   NVIDIA's assembler is on this machine, so cubins can be made
#   gpu     a CUDA driver with at least one device is on this machine
#   torch   the Python that runs %python can import torch
#   prototypes   nvcc is on this machine, and WNA16_PROTOTYPES names a folder of
#           CUDA kernels *_proto.cu (%prototypes), which are no part of this project
import ctypes
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "wna16"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ptx"]
# Python and GPU tests belong to pytest; unit tests and the comparison with
# hardware are GoogleTest programs.
config.excludes = ["Inputs", "Python", "GPU", "Hardware", "unit", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.wna16_build_dir, "test")


def find_python():
    """The project's virtual environment if `make build` made one."""
    own = os.path.join(config.wna16_source_dir, ".venv", "bin", "python")
    return own if os.path.exists(own) else shutil.which("python3") or sys.executable


def find_ptxas():
    return shutil.which("ptxas") or next(
        (p for p in ("/usr/local/cuda/bin/ptxas",) if os.access(p, os.X_OK)), None
    )


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return (
            driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0
        )
    except OSError:
        return False


def python_has(module):
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)"
    return subprocess.run([python, "-c", probe % module]).returncode == 0


python = find_python()
ptxas = find_ptxas()

path = [config.wna16_tools_dir, config.llvm_tools_dir]
if ptxas:
    path.append(os.path.dirname(ptxas))
    config.available_features.add("ptxas")
prototypes = os.environ.get("WNA16_PROTOTYPES", "")
if prototypes and shutil.which("nvcc", path=os.pathsep.join(path + [os.environ.get("PATH", "")])):
    config.available_features.add("prototypes")
if has_gpu():
    config.available_features.add("gpu")
if python_has("torch"):
    config.available_features.add("torch")

config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = os.path.join(config.wna16_source_dir, "python")
config.environment["WNA16_BIN"] = config.wna16_tools_dir
# A misspelt prefix or a variable that leaks from one function to the next
# would make a test pass for the wrong reason.
config.environment["FILECHECK_OPTS"] = (
    "--enable-var-scope --allow-unused-prefixes=false"
)

config.substitutions.append(("%python", python))
config.substitutions.append(("%ptxas", ptxas or "ptxas"))
config.substitutions.append(("%prototypes", prototypes))
config.substitutions.append(
    ("%test_inputs", os.path.join(config.test_source_root, "Inputs"))
)
config.substitutions.append(
    ("%fake_driver", os.path.join(config.wna16_build_dir, "test", "unit", "fake-driver"))
)
config.substitutions.append(("%source_dir", config.wna16_source_dir))
config.substitutions.append(("%mlir_libs", config.llvm_libs_dir))
config.substitutions.append(("%wna16_libs", config.wna16_libs_dir))
