"""Gold whose addresses differ from a run's only in http and https."""

from diglot.evaluation.gold import GoldPair, GoldSet

EN, FR = "a.example/en", "a.example/fr"


def gold_of(scheme: str) -> GoldSet:
    return GoldSet((GoldPair("en", "fr", f"{scheme}://{EN}", f"{scheme}://{FR}"),))


def test_an_address_is_spelled_like_the_run_spells_it() -> None:
    assert gold_of("https").spelled_like([f"http://{EN}", f"http://{FR}"]) == gold_of("http")
    assert gold_of("http").spelled_like([f"https://{EN}", f"https://{FR}"]) == gold_of("https")


def test_an_address_that_the_run_holds_with_both_keeps_its_spelling() -> None:
    both = [f"{scheme}://{page}" for scheme in ("http", "https") for page in (EN, FR)]
    assert gold_of("http").spelled_like(both) == gold_of("http")
    assert gold_of("https").spelled_like(both) == gold_of("https")


def test_other_schemes_and_hosts_stay() -> None:
    assert gold_of("http").spelled_like([f"ftp://{EN}", f"http://www.{EN}"]) == gold_of("http")
