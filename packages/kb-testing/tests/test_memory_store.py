import pytest

from kb_testing.memory_store import MemoryStore
from kb_testing.scope_conformance import SCOPE_CHECKS
from kb_testing.store_conformance import STORE_CHECKS, StoreCheck
from kb_testing.store_files_conformance import STORE_FILE_CHECKS
from kb_testing.store_runs_conformance import STORE_RUN_CHECKS
from kb_testing.vector_conformance import VECTOR_CHECKS

CHECKS = [*STORE_CHECKS, *STORE_FILE_CHECKS, *STORE_RUN_CHECKS, *SCOPE_CHECKS, *VECTOR_CHECKS]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_memory_store_conforms(check: StoreCheck) -> None:
    check(MemoryStore)
