"""The pages say what the program does: generated pages are current, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "packages/*/README.md", "fixtures/README.md")
    for path in REPOSITORY.glob(pattern)
)
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
HOSTS_OF_REGISTRIES = re.compile(r"files\.pythonhosted\.org|pypi\.org|registry\.npmjs\.org")


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "generate_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_no_page_names_the_host_of_a_registry(page: Path) -> None:
    assert not HOSTS_OF_REGISTRIES.search(page.read_text(encoding="utf-8"))


def test_every_package_is_described_in_the_design_page() -> None:
    design = (REPOSITORY / "docs" / "design.md").read_text(encoding="utf-8")
    for folder in (REPOSITORY / "packages").iterdir():
        assert f"| {folder.name} |" in design, f"{folder.name} is missing in docs/design.md"


def test_every_third_party_library_is_explained() -> None:
    import tomllib

    explained = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for pyproject in sorted((REPOSITORY / "packages").glob("*/pyproject.toml")):
        project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
        for requirement in project["dependencies"]:
            name = re.match(r"[A-Za-z0-9_-]+", requirement)
            assert name is not None
            if not name.group().startswith("kb-"):
                assert f"| {name.group()} |" in explained, f"{name.group()} is not explained"


def test_the_readme_shows_the_two_commands_that_ci_runs() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert "uv run kb demo" in readme
    assert "uv run pytest\n" in readme
    assert "uv run pytest" in ci
    assert "uv run kb demo" in ci
