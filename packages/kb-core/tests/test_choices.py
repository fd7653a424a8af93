"""Choices for a document: later ones are laid over earlier ones."""

import pytest

from kb_core import DocumentChoices

EARLIER = DocumentChoices(languages=("ko",), speakers="channels", keep_suspect=True)


@pytest.mark.parametrize(
    ("later", "together"),
    [
        (DocumentChoices(), EARLIER),
        (EARLIER, EARLIER),
        (
            DocumentChoices(languages=("ja", "en")),
            EARLIER.model_copy(update={"languages": ("ja", "en")}),
        ),
        (DocumentChoices(languages=()), EARLIER.model_copy(update={"languages": ()})),
        (
            DocumentChoices(speakers="none", keep_suspect=False),
            DocumentChoices(languages=("ko",), speakers="none", keep_suspect=False),
        ),
    ],
)
def test_what_was_not_chosen_now_stays_as_it_was(
    later: DocumentChoices, together: DocumentChoices
) -> None:
    assert later.or_else(EARLIER) == together
    assert later.or_else(EARLIER).or_else(DocumentChoices()) == together
    assert DocumentChoices().or_else(later.or_else(EARLIER)) == together
