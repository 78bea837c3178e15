"""A sentence that keeps long names of another language is in its own language; a text left untranslated is not."""

import pytest

from diglot.corpus.flags.kept_names import translates_around_names

SCHOOL = "Javni zavod za šport Nova Gorica"
BASILICA = "Saint Mary's Cathedral Basilica"


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        (f"The tour is organised by {SCHOOL}.", f"La visita está organizada por {SCHOOL}."),
        (f"Founded in 1820, {BASILICA} serves all of Halifax.", f"Fundada en 1820, {BASILICA} sirve a todo Halifax."),
        # Fewer words than half of those of the names, but two names.
        (f"{SCHOOL} {SCHOOL} is found in Nova Gorica.", f"{SCHOOL} {SCHOOL} está situada en Nova Gorica."),
        # One word of both languages.
        (f"Welcome to the website of {SCHOOL} and friends.", f"Bienvenidos al website del {SCHOOL} y sus amigos."),
    ],
)
def test_names_are_kept_in_sentences_of_the_own_language(src: str, tgt: str) -> None:
    assert translates_around_names(src, tgt, ("en", "es"))
    assert translates_around_names(tgt, src, ("es", "en"))


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        ("The church is old.", "La iglesia es antigua."),
        (f"See also {SCHOOL}.", f"Véase {SCHOOL}."),
        (f"The tour is organised by {SCHOOL}.", f"The visit was given by {SCHOOL}."),
        (f"La visita está organizada por {SCHOOL}.", f"La visita la organiza {SCHOOL} siempre."),
        ("The church is open – ni diru ĝin kune", "La iglesia está abierta – ni diru ĝin kune"),
        # Words of both languages are no names.
        ("The visit with the friends is over.", "La visita the amigos the terminó."),
        # Two words for each word beside them are a text in another language.
        (f"Photographs from {SCHOOL}: {SCHOOL} Og Ku", f"Fotografías de la {SCHOOL} {SCHOOL} Og Ku"),
    ],
)
def test_other_texts_are_not(src: str, tgt: str) -> None:
    assert not translates_around_names(src, tgt, ("en", "es"))


def test_bokmal_is_norwegian_to_the_identifier() -> None:
    src = f"The school was founded in 1820 by {SCHOOL}."
    assert translates_around_names(src, f"Skolen ble grunnlagt i 1820 av {SCHOOL} og er fortsatt åpen.", ("en", "nb"))


def test_languages_that_the_identifier_does_not_know_are_not_told() -> None:
    assert not translates_around_names(f"Abcd efgh ijkl {SCHOOL}", f"Mnop qrst uvwx {SCHOOL}", ("zza", "es"))
