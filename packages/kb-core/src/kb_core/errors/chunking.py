"""Cutting documents into chunks."""

from __future__ import annotations

from kb_core.errors.base import KbError


class ChunkError(KbError):
    """Something about cutting a document into chunks."""

    code = "chunk_error"


class ChunkInputError(ChunkError):
    """The module does not handle this kind of document."""

    code = "chunk_input"


class ChunkContractError(ChunkError):
    """A chunk module broke a rule of the contract; nothing of the document is stored.

    Attributes:
        module: key of the module.
        chunk: which chunk, as `#index`, or `-` where no single one is at fault.
        rule: the broken rule, in words.
    """

    code = "chunk_contract"

    def __init__(self, module: str, chunk: str, rule: str) -> None:
        self.module = module
        self.chunk = chunk
        self.rule = rule
        super().__init__(f"chunk module {module}, chunk {chunk}: {rule}")


class MissingCapability(ChunkError):
    """A module needs something that the runtime was not given."""

    code = "missing_capability"

    def __init__(self, module: str, capability: str, *, hint: str | None = None) -> None:
        self.module = module
        self.capability = capability
        super().__init__(f"chunk module {module} needs {capability}, and there is none", hint=hint)
