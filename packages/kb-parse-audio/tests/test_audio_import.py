import subprocess
import sys

SCRIPT = """
import sys
import kb_parse_audio
heavy = {"av", "numpy"} & set(sys.modules)
assert not heavy, heavy
"""


def test_importing_the_package_loads_no_media_library():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
