"""Contract types that import-linter lacks, used by `.importlinter` at the root.

import-linter can forbid named modules, but it cannot say "these and nothing else": a misspelt or
forgotten name in a forbidden list passes silently. An allow-list fails closed instead. Imports
that are made by name at run time are invisible to both, as they are to any reader of source.
"""

import sys
from typing import Any, cast

from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.protected import ProtectedContract

# grimp's ImportGraph. grimp belongs to import-linter, so it is not imported here.
Graph = Any


class AllowListContract(Contract):
    """A package imports itself, the standard library and the modules of its list, nothing else.

    Options:
        package: The root package that the contract holds for.
        allowed: Modules that it may import, each with everything inside it. A module of ours may
            be dotted; of a third party the graph knows only the top-level name.
    """

    type_name = "allow-list"

    package = fields.StringField()
    allowed = fields.SetField(subfield=fields.StringField())

    def check(self, graph: Graph, verbose: bool) -> ContractCheck:
        """Collect every direct import of the package that the list does not cover."""
        package, allowed = str(self.package), cast("set[str]", self.allowed)
        if package not in graph.modules:
            raise ValueError(f"Module '{package}' does not exist.")
        covered = {package} | allowed | sys.stdlib_module_names
        forbidden = [
            (importer, detail["line_number"], imported)
            for importer in sorted({package} | graph.find_descendants(package))
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not any(imported == name or imported.startswith(f"{name}.") for name in covered)
            for detail in graph.get_import_details(importer=importer, imported=imported)
        ]
        return ContractCheck(kept=not forbidden, metadata={"forbidden": forbidden})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each importing module, its line and what it must not import."""
        output.print_error(f"{self.package} imports what its allow-list does not name:", bold=False)
        output.new_line()
        for importer, line_number, imported in check.metadata["forbidden"]:
            output.print_error(f"- {importer} -> {imported} (l.{line_number})", bold=False)
        output.new_line()


class ProtectedExternalContract(ProtectedContract):
    """The built-in `protected` contract, also for outside modules that nobody imports yet.

    An external module enters the graph with its first import, and the built-in contract gives up
    on a protected module that is not in the graph. So a rule could not be written before it is
    needed, and removing the last lawful import would stop the whole check.
    """

    type_name = "protected-external"

    def check(self, graph: Graph, verbose: bool) -> ContractCheck:
        """Add the missing outside modules to the graph, then check as usual."""
        names = {str(expression) for expression in cast("list[object]", self.protected_modules)}
        for name in names - graph.modules:
            if name.partition(".")[0] not in self.session_options["root_packages"]:
                graph.add_module(name, is_squashed=True)
        return super().check(graph, verbose)
