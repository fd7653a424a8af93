import subprocess
import sys

PROGRAM = """
import sys
from pathlib import Path
import kb_asr_faster_whisper
import kb_asr_faster_whisper.transcriber
from kb_config import Settings
settings = Settings(models_dir=Path(sys.argv[1]))
kb_asr_faster_whisper.create_registry(settings).list_models()
kb_asr_faster_whisper.create_transcriber(settings).identity
loaded = {"numpy", "ctranslate2", "faster_whisper"} & sys.modules.keys()
print(sorted(loaded))
"""


def test_neither_import_nor_identity_loads_the_engine(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "models")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    assert not (tmp_path / "models").exists()
