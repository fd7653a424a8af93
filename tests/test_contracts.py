"""The import contracts agree with the packages, and they bite."""

import configparser
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_contracts(root: Path) -> dict[str, dict[str, list[str]]]:
    parser = configparser.ConfigParser()
    parser.read(root / ".importlinter", encoding="utf-8")
    return {
        section: {key: value.strip().splitlines() for key, value in parser[section].items()}
        for section in parser.sections()
    }


def distribution_name(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def import_names(distribution: str) -> set[str]:
    installed = {
        module
        for module, owners in packages_distributions().items()
        if distribution in map(distribution_name, owners)
    }
    return installed or {distribution.replace("-", "_")}


def requirements(project: dict[str, Any]) -> list[str]:
    extras = project.get("optional-dependencies", {}).values()
    return [*project.get("dependencies", []), *(name for extra in extras for name in extra)]


def allow_lists(root: Path) -> dict[str, list[set[str]]]:
    found: dict[str, list[set[str]]] = {}
    for contract in read_contracts(root).values():
        if contract.get("type") == ["allow-list"]:
            found.setdefault(contract["package"][0], []).append(set(contract["allowed"]))
    return found


def disagreements(root: Path) -> list[str]:
    """Say where contracts, packages and their dependencies disagree."""
    contracts = read_contracts(root)
    lists = allow_lists(root)
    members = {path.parent.name: read_toml(path) for path in root.glob("packages/*/pyproject.toml")}
    packages = {name.replace("-", "_") for name in members}
    layered = {
        name.strip()
        for line in contracts["importlinter:contract:layers"]["layers"]
        for name in re.split("[|:]", line)
    }
    complaints = [
        f"{package} has {len(lists.get(package, []))} allow-list contracts instead of one"
        for package in sorted(packages | set(lists))
        if len(lists.get(package, [])) != (package in packages)
    ]
    for where, named in {
        "root_packages": set(contracts["importlinter"]["root_packages"]),
        "the acyclic contract": set(contracts["importlinter:contract:acyclic"]["ancestors"]),
        "the layers contract": layered | {"kb_testing"},
    }.items():
        complaints += [f"{package} differs in {where}" for package in sorted(packages ^ named)]
    for name, document in sorted(members.items()):
        allowed = {module for names in lists.get(name.replace("-", "_"), []) for module in names}
        complaints += [
            f"{name} depends on {distribution}, which its allow-list does not name"
            for distribution in map(distribution_name, requirements(document["project"]))
            if not import_names(distribution) & allowed
        ]
    return complaints


def copy_workspace(target: Path) -> Path:
    """Copy sources, settings and contracts; return the copied root."""
    shutil.copy(ROOT / ".importlinter", target)
    for source in ROOT.glob("packages/*"):
        if (source / "pyproject.toml").exists():
            copied = target / "packages" / source.name
            shutil.copytree(
                source / "src", copied / "src", ignore=shutil.ignore_patterns("__pycache__")
            )
            shutil.copy(source / "pyproject.toml", copied)
    return target


def add_module(root: Path, package: str, source: str) -> None:
    folder = root / "packages" / package.replace("_", "-") / "src" / package
    (folder / "added.py").write_text(source, encoding="utf-8")


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    sources = os.pathsep.join(str(path) for path in root.glob("packages/*/src"))
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": sources, "COLUMNS": "200", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_contracts_packages_and_dependencies_agree() -> None:
    assert disagreements(ROOT) == []


def test_a_package_without_contract_is_noticed(tmp_path: Path) -> None:
    root = copy_workspace(tmp_path)
    package = root / "packages" / "kb-parrot"
    package.mkdir()
    (package / "pyproject.toml").write_text('[project]\nname = "kb-parrot"\n', encoding="utf-8")
    assert disagreements(root) == [
        "kb_parrot has 0 allow-list contracts instead of one",
        "kb_parrot differs in root_packages",
        "kb_parrot differs in the acyclic contract",
        "kb_parrot differs in the layers contract",
    ]


def test_a_contract_without_package_is_noticed(tmp_path: Path) -> None:
    root = copy_workspace(tmp_path)
    shutil.rmtree(root / "packages" / "kb-chunk")
    assert "kb_chunk has 1 allow-list contracts instead of one" in disagreements(root)


@pytest.mark.parametrize("dependency", ["av", "kb-parse-audio"])
def test_a_dependency_outside_the_allow_list_is_noticed(tmp_path: Path, dependency: str) -> None:
    root = copy_workspace(tmp_path)
    path = root / "packages" / "kb-chunk" / "pyproject.toml"
    declared = path.read_text(encoding="utf-8")
    changed = declared.replace("dependencies = [", f'dependencies = [\n    "{dependency}>=0",', 1)
    path.write_text(changed, encoding="utf-8")
    assert disagreements(root) == [
        f"kb-chunk depends on {dependency}, which its allow-list does not name"
    ]


def test_members_share_one_version_and_pin_each_other_to_it() -> None:
    projects = [read_toml(path)["project"] for path in ROOT.glob("packages/*/pyproject.toml")]
    (version,) = {project["version"] for project in projects}
    pins = {name for project in projects for name in requirements(project) if "kb-" in name}
    assert {pin for pin in pins if not pin.endswith(f"=={version}")} == set()


def test_the_workspace_names_every_member() -> None:
    members = {path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")}
    workspace = read_toml(ROOT / "pyproject.toml")
    assert members <= set(map(distribution_name, workspace["dependency-groups"]["dev"]))
    assert members == set(workspace["tool"]["uv"]["sources"])
    assert {f"packages/{name}/src" for name in members} == set(
        workspace["tool"]["mypy"]["mypy_path"]
    )


def test_settings_of_tools_live_at_the_root_only() -> None:
    for path in ROOT.glob("packages/*/pyproject.toml"):
        assert "tool" not in read_toml(path), path


def test_the_packages_keep_their_contracts(tmp_path: Path) -> None:
    result = lint_imports(copy_workspace(tmp_path))
    assert result.returncode == 0, result.stdout
    assert " 0 broken." in result.stdout


def test_lawful_imports_keep_the_contracts(tmp_path: Path) -> None:
    root = copy_workspace(tmp_path)
    add_module(root, "kb_app", "import kb_search\nimport kb_store_sqlite\nimport pydantic\n")
    add_module(root, "kb_asr_whisper", "import _pywhispercpp\nimport pywhispercpp.model\n")
    add_module(root, "kb_chunk", "import json\nimport blake3\nfrom kb_core import ids\n")
    add_module(root, "kb_parse_audio", "import av.audio\n")
    add_module(root, "kb_store_sqlite", "import sqlite3\nimport kb_text\n")
    result = lint_imports(root)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("package", "imported", "contract"),
    [
        ("kb_app", "kb_asr_whisper", "found through entry points, never imported"),
        ("kb_app", "kb_cli", "Dependencies point downwards"),
        ("kb_chunk", "kb_parse_audio", "kb_chunk imports only what its allow-list names"),
        ("kb_chunk", "kb_store_sqlite", "Only kb_app wires adapters to ports"),
        ("kb_chunk", "numpy", "kb_chunk imports only what its allow-list names"),
        ("kb_cli", "kb_search", "kb_cli imports only what its allow-list names"),
        ("kb_cli", "kb_store_sqlite", "Only kb_app wires adapters to ports"),
        ("kb_config", "kb_text", "Dependencies point downwards"),
        ("kb_parse_audio", "_pywhispercpp", "Only kb_asr_whisper imports pywhispercpp"),
        ("kb_parse_audio", "kb_asr_whisper", "Dependencies point downwards"),
        ("kb_search", "av", "Only kb_parse_audio imports av"),
        ("kb_search", "kb_store_sqlite", "kb_search imports only what its allow-list names"),
        ("kb_search", "sqlite3", "Only kb_store_sqlite imports sqlite3"),
        ("kb_source_fs", "kb_parrot", "kb_source_fs imports only what its allow-list names"),
        ("kb_text", "kb_testing", "Nothing but tests imports kb_testing"),
    ],
)
def test_a_forbidden_import_breaks_its_contract(
    tmp_path: Path, package: str, imported: str, contract: str
) -> None:
    root = copy_workspace(tmp_path)
    add_module(root, package, f"def hidden() -> None:\n    import {imported}\n")
    result = lint_imports(root)
    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout
    assert f"{package}.added -> {imported} (l.2)" in result.stdout


def test_an_import_for_type_checking_counts_as_well(tmp_path: Path) -> None:
    root = copy_workspace(tmp_path)
    guard = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
    add_module(root, "kb_search", f"{guard}    from av.audio import frame\n")
    result = lint_imports(root)
    assert result.returncode == 1
    assert "kb_search.added -> av (l.4)" in result.stdout


def test_a_cycle_inside_a_package_breaks_its_contract(tmp_path: Path) -> None:
    root = copy_workspace(tmp_path)
    add_module(root, "kb_search", "from kb_search import other\n")
    folder = root / "packages" / "kb-search" / "src" / "kb_search"
    (folder / "other.py").write_text("from kb_search import added\n", encoding="utf-8")
    result = lint_imports(root)
    assert result.returncode == 1
    assert "No cycles inside a package BROKEN" in result.stdout
    assert "No cycles are allowed in kb_search" in result.stdout
