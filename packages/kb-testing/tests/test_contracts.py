"""The contract types judge a small graph as the rules say."""

import pytest
from grimp import ImportGraph
from importlinter.domain.contract import Contract, InvalidContractOptions

from kb_testing.contracts import AllowListContract, ProtectedExternalContract


def graph_of(*imports: tuple[str, str]) -> ImportGraph:
    graph = ImportGraph()
    for name in ("ours", "ours.part", "theirs", "theirs.open", "theirs.closed"):
        graph.add_module(name)
    for line_number, (importer, imported) in enumerate(imports, start=1):
        if imported not in graph.modules:
            graph.add_module(imported, is_squashed=True)
        graph.add_import(
            importer=importer, imported=imported, line_number=line_number, line_contents="import"
        )
    return graph


def contract(kind: type[Contract], **options: str | list[str]) -> Contract:
    return kind("a contract", {"root_packages": ["ours", "theirs"]}, {"name": "a", **options})


def allow_list(*allowed: str) -> Contract:
    return contract(AllowListContract, package="ours", allowed=list(allowed))


def test_the_standard_library_and_the_package_itself_are_always_allowed() -> None:
    graph = graph_of(("ours", "json"), ("ours.part", "ours"), ("ours", "ours.part"))
    assert allow_list("pydantic").check(graph, verbose=False).kept


def test_an_unlisted_import_is_named_with_its_module_and_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    graph = graph_of(("ours", "listed"), ("ours.part", "unlisted"))
    checked = allow_list("listed")
    result = checked.check(graph, verbose=False)
    checked.render_broken_contract(result)
    assert not result.kept
    assert "- ours.part -> unlisted (l.2)" in capsys.readouterr().out


def test_a_listed_module_brings_what_is_inside_it_but_not_its_neighbours() -> None:
    checked = allow_list("theirs.open")
    assert checked.check(graph_of(("ours", "theirs.open")), verbose=False).kept
    assert not checked.check(graph_of(("ours", "theirs.closed")), verbose=False).kept
    assert not checked.check(graph_of(("ours", "theirs")), verbose=False).kept
    assert allow_list("theirs").check(graph_of(("ours", "theirs.closed")), verbose=False).kept


def test_a_name_that_only_begins_like_a_listed_one_is_not_allowed() -> None:
    assert not allow_list("nump").check(graph_of(("ours", "numpy")), verbose=False).kept


def test_other_packages_are_not_judged() -> None:
    assert allow_list("pydantic").check(graph_of(("theirs", "unlisted")), verbose=False).kept


def test_a_package_that_does_not_exist_is_an_error() -> None:
    checked = contract(AllowListContract, package="nobody", allowed=["pydantic"])
    with pytest.raises(ValueError, match="nobody"):
        checked.check(graph_of(), verbose=False)


def test_a_contract_without_a_list_is_an_error() -> None:
    with pytest.raises(InvalidContractOptions):
        contract(AllowListContract, package="ours")


def protected(module: str) -> Contract:
    return contract(
        ProtectedExternalContract, protected_modules=[module], allowed_importers=["theirs"]
    )


def test_a_protected_module_that_nobody_imports_keeps_the_contract() -> None:
    assert protected("sqlite3").check(graph_of(), verbose=False).kept


def test_a_protected_module_is_for_its_importers_alone() -> None:
    lawful = graph_of(("theirs.open", "sqlite3"))
    unlawful = graph_of(("theirs.open", "sqlite3"), ("ours.part", "sqlite3"))
    assert protected("sqlite3").check(lawful, verbose=False).kept
    assert not protected("sqlite3").check(unlawful, verbose=False).kept
