"""The verbs by some of Windows' rules, as no test runs there: tests/programs/as_windows.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.skipif(sys.platform != "linux", reason="looks at what is open as Linux tells it")
def test_verbs_use_nothing_that_windows_lacks_or_refuses(tmp_path):
    done = subprocess.run(
        [sys.executable, HERE / "programs" / "as_windows.py", tmp_path / "demo"],
        env=os.environ | {"PYTHONPATH": str(HERE.parent / "scripts")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
