"""The same sentence in many languages, written for tests."""

from __future__ import annotations

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
