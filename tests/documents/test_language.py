"""Languages told from text: sentences written for this test, declared and undeclared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from diglot.documents.language import UNDETERMINED, CompiledIdentifier, identify, identify_among, language_of

SENTENCES = {
    "en": "The baker opens his shop early in the morning and sells fresh bread to the people who live nearby.",
    "de": "Der Bäcker öffnet seinen Laden früh am Morgen und verkauft den Leuten aus der Nachbarschaft frisches Brot.",
    "fr": "Le boulanger ouvre sa boutique tôt le matin et vend du pain frais aux gens qui habitent le quartier.",
    "es": "El panadero abre su tienda temprano por la mañana y vende pan fresco a la gente que vive en el barrio.",
    "it": "Il panettiere apre il suo negozio la mattina presto e vende pane fresco alla gente che abita nel quartiere.",
    "pt": "O padeiro abre a sua loja de manhã cedo e vende pão fresco às pessoas que moram no bairro, não muito longe.",
    "nl": "De bakker opent zijn winkel vroeg in de ochtend en verkoopt vers brood aan de mensen die in de buurt wonen.",
    "sv": "Bagaren öppnar sin butik tidigt på morgonen och säljer färskt bröd till människorna som bor i närheten.",
    "da": "Bageren åbner sin butik tidligt om morgenen og sælger frisk brød til de mennesker, der bor i nærheden.",
    "fi": "Leipuri avaa kauppansa aikaisin aamulla ja myy tuoretta leipää ihmisille, jotka asuvat lähistöllä.",
    "hu": "A pék kora reggel kinyitja a boltját, és friss kenyeret árul azoknak az embereknek, akik a közelben laknak.",
    "cs": "Pekař otevírá svůj obchod brzy ráno a prodává čerstvý chléb lidem, kteří bydlí v sousedství a ve městě.",
    "pl": "Piekarz otwiera swój sklep wcześnie rano i sprzedaje świeży chleb ludziom, którzy mieszkają w pobliżu.",
    "ro": "Brutarul își deschide magazinul dimineața devreme și vinde pâine proaspătă oamenilor care stau în cartier.",
    "tr": "Fırıncı dükkânını sabah erkenden açar ve yakında oturan insanlara taze ekmek satar, sonra evine döner.",
    "el": "Ο φούρναρης ανοίγει το μαγαζί του νωρίς το πρωί και πουλάει φρέσκο ψωμί στους ανθρώπους που μένουν κοντά.",
    "ru": "Пекарь открывает свою лавку рано утром и продаёт свежий хлеб людям, которые живут поблизости.",
    "uk": "Пекар відчиняє свою крамницю рано-вранці й продає свіжий хліб людям, які мешкають поблизу.",
    "bg": "Хлебарят отваря магазина си рано сутринта и продава пресен хляб на хората, които живеят наблизо.",
    "he": "האופה פותח את החנות שלו מוקדם בבוקר ומוכר לחם טרי לאנשים שגרים בסביבה.",
    "ar": "يفتح الخباز متجره في الصباح الباكر ويبيع الخبز الطازج للناس الذين يسكنون بالقرب منه في هذا الحي القديم.",
    "hi": "बेकर सुबह जल्दी अपनी दुकान खोलता है और आसपास रहने वाले लोगों को ताज़ी रोटी बेचता है।",
    "th": "คนทำขนมปังเปิดร้านแต่เช้าตรู่และขายขนมปังสดใหม่ให้กับผู้คนที่อาศัยอยู่ใกล้เคียง",
    "vi": "Người thợ làm bánh mở cửa hàng từ sáng sớm và bán bánh mì mới ra lò cho những người sống gần đó.",
    "ja": "パン屋さんは朝早く店を開けて、近所に住む人たちに焼きたてのパンを売っています。",
    "ko": "제빵사는 아침 일찍 가게 문을 열고 근처에 사는 사람들에게 갓 구운 빵을 팝니다.",
    "zh-Hans": "面包师每天清晨就打开店门，把新鲜的面包卖给住在附近的人们，他们都很喜欢这家店。",
    "zh-Hant": "麵包師每天清晨就打開店門，把新鮮的麵包賣給住在附近的人們，他們都很喜歡這家店。",
    "sr-Cyrl": "Пекар отвара своју радњу рано ујутру и продаје свеж хлеб људима који живе у близини, у нашој улици.",
    "ca": "El forner obre la seva botiga al matí ben d'hora i ven pa acabat de fer a la gent que viu al barri.",
}
NORWEGIAN = "Bakeren åpner butikken sin tidlig om morgenen og selger ferskt brød til menneskene som bor i nærheten."
NYNORSK = (
    "Bakaren opnar butikken sin tidleg om morgonen og sel ferskt brød til folka som bur i nærleiken, og dei er glade."
)
CROATIAN = "Pekar otvara svoju trgovinu rano ujutro i prodaje svježi kruh ljudima koji žive u blizini, i to svaki dan."


@pytest.mark.parametrize(("lang", "text"), SENTENCES.items())
def test_identified_from_one_sentence(lang: str, text: str) -> None:
    found, confidence = identify(text, declared=lang)
    assert found == lang
    assert 0.5 < confidence <= 1


def test_nearly_all_are_identified_without_a_declaration() -> None:
    wrong = {lang: identify(text)[0] for lang, text in SENTENCES.items() if identify(text)[0] != lang}
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("declared", ["en", "ru", "ja", "zh-Hant", "xx", "", "not a tag", "en-US,fr"])
def test_a_declaration_of_a_far_language_is_not_believed(declared: str) -> None:
    assert identify(SENTENCES["fr"], declared)[0] == "fr"
    assert identify(SENTENCES["hu"], declared)[0] == "hu"


@pytest.mark.parametrize(
    ("text", "declared", "lang"),
    [
        (NORWEGIAN, "nb", "nb"),
        (NORWEGIAN, "no", "no"),
        (NYNORSK, "nn", "nn"),
        (SENTENCES["da"], "da", "da"),
        (CROATIAN, "hr", "hr"),
        (CROATIAN, "bs", "bs"),
        (CROATIAN, "sr-Latn", "sr-Latn"),
        (CROATIAN, "sr", "sr-Latn"),
        (SENTENCES["sr-Cyrl"], "sr", "sr-Cyrl"),
        (SENTENCES["sr-Cyrl"], "", "sr-Cyrl"),
        (SENTENCES["zh-Hans"], "zh-TW", "zh-Hans"),
        (SENTENCES["zh-Hant"], "zh_CN", "zh-Hant"),
    ],
)
def test_close_languages_and_scripts(text: str, declared: str, lang: str) -> None:
    assert identify(text, declared)[0] == lang


@pytest.mark.parametrize(
    ("declared", "lang"), [("zh-TW", "zh-Hant"), ("zh-Hant", "zh-Hant"), ("zh", "zh-Hans"), ("", "zh-Hans")]
)
def test_chinese_without_a_telling_character_is_what_it_declares(declared: str, lang: str) -> None:
    assert identify_among("大人小人中人上人下人", {"zh"}, declared) == lang


@pytest.mark.parametrize(
    "text", ["", "OK", "Home | News", "12345 67890 12345 67890 12345", "... --- ...", "日本語", "https"]
)
def test_too_little_text_is_undetermined(text: str) -> None:
    assert identify(text, "fr") == (UNDETERMINED, 0.0)


def test_among_the_given_languages_only() -> None:
    assert identify_among(SENTENCES["ca"], {"fr", "es", "en"}) in ("fr", "es")
    assert identify_among(SENTENCES["en"], {"fr", "en"}) == "en"
    assert identify_among(SENTENCES["zh-Hant"], {"en", "zh"}) == "zh-Hant"
    assert identify_among(SENTENCES["en"], set()) == ""
    assert identify_among(SENTENCES["en"], {"tlh"}) == ""


@pytest.mark.parametrize(
    ("tag", "lang"),
    [
        ("en", "en"),
        ("pt_BR", "pt"),
        ("FR-fr", "fr"),
        (" de ", "de"),
        ("zh-Hant-TW", "zh"),
        ("", ""),
        ("und", ""),
        ("?!", ""),
        ("-", ""),
    ],
)
def test_language_of_tags_as_people_write_them(tag: str, lang: str) -> None:
    assert language_of(tag) == lang


@given(st.text(max_size=200), st.text(max_size=12))
def test_any_text_and_declaration_give_a_tag(text: str, declared: str) -> None:
    lang, confidence = identify(text, declared)
    assert lang
    assert 0 <= confidence <= 1


def test_the_compiled_model_answers_as_the_library_does() -> None:
    ours = CompiledIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    theirs = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in [*SENTENCES.values(), "", "x", "\x00 \U0001f600", " ".join(SENTENCES.values())]:
        found, expected = dict(ours.rank(text)), dict(theirs.rank(text))
        assert found == pytest.approx(expected, abs=1e-4)
        assert ours.classify(text)[0] == theirs.classify(text)[0]


def test_a_language_whose_speakers_read_the_declared_one_is_not_taken_for_it() -> None:
    assert identify(SENTENCES["ca"], declared="es")[0] == "ca"
