"""The script that adds up all suites: it must not turn a failure into a pass."""

import importlib.util
import subprocess
import sys

import pytest

from conftest import ROOT

SCRIPT = ROOT / "tools" / "dev" / "run_tests.py"


@pytest.fixture(scope="module")
def run_tests():
    spec = importlib.util.spec_from_file_location("run_tests", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["run_tests"] = module  # dataclasses look it up there
    spec.loader.exec_module(module)
    return module


def report(tmp_path, cases):
    path = tmp_path / "report.xml"
    path.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    return path


PASSED = "<testcase name='a'/>"
FAILED = "<testcase name='b'><failure/></testcase>"
ERROR = "<testcase name='c'><error/></testcase>"
SKIPPED = "<testcase name='d'><skipped/></testcase>"


@pytest.mark.parametrize(
    "cases, status, counts",
    [
        (PASSED, 0, (1, 0, 0)),
        (PASSED + FAILED + ERROR + SKIPPED, 1, (1, 2, 1)),
        (PASSED, 1, (1, 1, 0)),  # a crash after the report
        ("", 0, (0, 1, 0)),  # no tests found
    ],
)
def test_counts(run_tests, tmp_path, cases, status, counts):
    result = run_tests.read_junit(report(tmp_path, cases), status, "suite")
    assert (result.passed, result.failed, result.skipped) == counts


def test_no_report_is_a_failure(run_tests, tmp_path):
    assert run_tests.read_junit(tmp_path / "none.xml", 0, "suite").failed == 1


def test_last_line_and_status(tmp_path):
    command = [sys.executable, SCRIPT, "--build", tmp_path, "--suite", "lit", "--suite", "unit"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0 passed, 2 failed"
    assert done.returncode == 1
