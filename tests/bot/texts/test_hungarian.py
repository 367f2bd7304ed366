"""Hungarian names, numbers and nouns have the endings and articles that Hungarians write."""

from io import BytesIO

import pytest

from bot.texts.hungarian import ENDINGS, add_ending, definite_article
from bot.texts.i18n import Catalogue, Localizer, MissingMessage

FORMS = """
A1 -t A1-et, -ra A1-re, -on A1-en, -val A1-gyel, -nak A1-nek, -hoz A1-hez, -s A1-es
A2 -t A2-t, -ba A2-be, -on A2-n, -val A2-vel, -hoz A2-höz, -s A2-es
S3 -t S3-at, -ba S3-ba, -on S3-on, -val S3-mal, -nak S3-nak, -s S3-as
B4 -t B4-et, -val B4-gyel, -hoz B4-hez
R5 -t R5-öt, -on R5-ön, -val R5-tel, -hoz R5-höz, -s R5-ös, -szor R5-ször
B6 -t B6-ot, -on B6-on, -val B6-tal, -ból B6-ból, -s B6-os
B7 -t B7-et, -val B7-tel, -tól B7-től
B8 -t B8-at, -val B8-cal, -tól B8-tól
B9 -t B9-et, -val B9-cel, -nál B9-nél
R10 -t R10-et, -val R10-zel, -ra R10-re
B20 -t B20-at, -val B20-szal
0 -t 0-t, -val 0-val, -ra 0-ra
30 -t 30-at, -on 30-on
40 -t 40-et, -val 40-nel
60 -t 60-at, -ra 60-ra
100 -t 100-at, -szor 100-szor
1000 -t 1000-et, -ig 1000-ig
2000000 -t 2000000-t, -val 2000000-val
2000000000 -t 2000000000-ot, -val 2000000000-dal
B -t B-t, -nak B-nek, -hoz B-hez
F -t F-et, -val F-fel
USS -t USS-t, -val USS-sal
Anna -t Annát, -nak Annának, -val Annával, -ként Annaként, -on Annán, -é Annáé
Bence -t Bencét, -ra Bencére, -hoz Bencéhez
Péter -t Pétert, -val Péterrel, -hoz Péterhez
János -t Jánost, -val Jánossal
Ferenc -t Ferencet, -val Ferenccel
György -t Györgyöt, -val Györggyel, -hoz Györgyhöz
Mihály -t Mihályt, -val Mihállyal
Balázs -t Balázst, -val Balázzsal
Zsolt -t Zsoltot, -nak Zsoltnak
Ödön -t Ödönt, -hoz Ödönhöz
Enikő -t Enikőt, -hoz Enikőhöz, -val Enikővel
Ági -t Ágit, -nak Áginak
Bernadett -t Bernadettet, -val Bernadett-tel
Kiss -val Kiss-sel, -nak Kissnek
Horváth -t Horváthot, -val Horváthtal
Félix -t Félixt, -val Félixszel
Ben -t Bent, -val Bennel
Bess -t Besst, -ra Bessre
Tom -t Tomot
Mike -t Mike-ot, -val Mike-kal, -nak Mike-nak
Kate -t Kate-et, -val Kate-tel
Joe -t Joe-t, -nak Joe-nak
Ray -t Ray-t
Tony -t Tonyt, -val Tonyval
Harry -t Harryt, -val Harryval
Anna! -t Anna!-t, -nak Anna!-nak
xX_Dark99 -t xX_Dark99-et
xX_Dark99_ -t xX_Dark99_-et, -val xX_Dark99_-cel
„Anna” -t „Anna”-t, -val „Anna”-val
„A1” -t „A1”-et, -val „A1”-gyel, -ra „A1”-re
**S3** -t **S3**-at, -val **S3**-mal
#12 -t #12-t, -val #12-vel, -s #12-es
#8 -t #8-at, -ra #8-ra
日本 -t 日本-t, -nak 日本-nek
Marci matróz (gép) -t Marci matrózt (gép), -val Marci matrózzal (gép)
bal oldal -t bal oldalt, -a bal oldala, -on bal oldalon
orr -t orrot, -a orra, -val orral
far -t fart, -a fara
fehér brigg -t fehér brigget, -val fehér briggel, -ra fehér briggre
piros csatahajó -t piros csatahajót, -ba piros csatahajóba, -hoz piros csatahajóhoz
quadrirémisz -t quadrirémiszt, -val quadrirémisszel
2 evező -t 2 evezőt
3 árboc -t 3 árbocot, -val 3 árboccal
4 gyufa -t 4 gyufát, -val 4 gyufával
22,8 mm -t 22,8 mm-t, -ra 22,8 mm-re, -val 22,8 mm-rel
3,37 hüvelyk -t 3,37 hüvelyket, -ra 3,37 hüvelykre
58% -t 58%-ot, -on 58%-on
60° -t 60°-ot, -val 60°-kal
"""


def forms() -> list[tuple[str, str, str]]:
    rows = []
    for line in FORMS.strip().splitlines():
        name, *rest = line.split(" -")
        for item in rest:
            ending, _, form = item.rstrip(",").partition(" ")
            rows.append((name, ending, form))
    return rows


@pytest.mark.parametrize(("name", "ending", "form"), forms())
def test_endings(name: str, ending: str, form: str) -> None:
    assert add_ending(name, ending) == form


def test_every_ending_is_tried() -> None:
    assert {ending for _, ending, _ in forms()} | {"ban", "ról", "ért"} == ENDINGS


@pytest.mark.parametrize(("ending", "form"), [("ban", "B1-ben"), ("ról", "B1-ről"), ("ért", "B1-ért")])
def test_endings_of_a_ship(ending: str, form: str) -> None:
    assert add_ending("B1", ending) == form


def test_an_unknown_ending_is_refused() -> None:
    with pytest.raises(KeyError):
        add_ending("B1", "kor")


@pytest.mark.parametrize(
    "said",
    [
        *(
            "az A1",
            "a B1",
            "az F2",
            "az S3",
            "a K4",
            "az R",
            "az Anna",
            "a Béla",
            "az Enikő",
            "a „B1”",
            "az orr",
            "a …",
        ),
        *("az 1", "a 3", "az 5", "a 10", "a 15", "az 51", "a 100", "az 1000", "a 2000", "az 5000", "a 10000"),
    ],
)
def test_articles(said: str) -> None:
    word = said.partition(" ")[2]
    assert f"{definite_article(word)} {word}" == said


SENTENCES = {
    "hit": "{by} döfi {to:-t}.",
    "side": "{by} {to} {edge:edge-a-ba} fut.",
    "seat": "{seat:name-t} várjuk.",
    "start": "{ship:A+} elsüllyed, {ship:a+-val} együtt.",
    "several": "Vízre száll: {ships:-val}.",
    "oars": "{n:unit.oar-t} veszít.",
    "edge.port": "bal oldal",
}


def catalogue(language: str) -> Catalogue:
    po = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n'
    po += 'msgid "unit.oar"\nmsgid_plural "unit.oar"\nmsgstr[0] "{n} evező"\n'
    po += "\n".join(f'msgid "{key}"\nmsgstr "{text}"\n' for key, text in SENTENCES.items())
    return Catalogue(language, BytesIO(po.encode()))


@pytest.mark.parametrize(
    ("key", "values", "said"),
    [
        ("hit", {"by": "A1", "to": "B3"}, "A1 döfi B3-at."),
        ("side", {"by": "A1", "to": "B1", "edge": "port"}, "A1 B1 bal oldalába fut."),
        ("seat", {"seat": 0}, "Annát várjuk."),
        ("seat", {"seat": 1}, r"Béla\_-t várjuk."),
        ("start", {"ship": "A1"}, "Az A1 elsüllyed, az A1-gyel együtt."),
        ("several", {"ships": ("A1", "B3")}, "Vízre száll: A1-gyel és B3-mal."),
        ("oars", {"n": 2}, "2 evezőt veszít."),
    ],
)
def test_values_with_endings(key: str, values: dict[str, object], said: str) -> None:
    assert Localizer(catalogue("hu"), {0: "Anna", 1: "Béla_"}).say(key, **values) == said


def test_other_languages_have_no_endings() -> None:
    with pytest.raises(MissingMessage):
        Localizer(catalogue("en")).say("hit", by="A1", to="B3")


def test_an_ending_that_does_not_exist_is_missing() -> None:
    words = Localizer(catalogue("hu"))
    words.catalogue.messages["hit"] = "{to:-kor}"
    with pytest.raises(MissingMessage):
        words.say("hit", to="B3")
