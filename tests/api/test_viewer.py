"""Citations at their place, in a browser's eyes: files of several formats, ingested, opened over the wire."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
import zipfile

import httpx
import jwt
import openpyxl
import pymupdf
import pytest
from PIL import Image, ImageDraw
from pptx import Presentation

from app.commands.serve import viewing_of
from app.sources import add_source
from app.wiring import open_catalog, open_kit, open_search_parts, source_run
from contracts.settings import Settings, SourceSettings
from search.api.app import create_app
from search.api.callers import Callers, Key
from search.api.tickets import Ticket, Tickets

TOKEN, AGENT = "a-token-of-the-tests", "a-token-of-the-agent"
ACL = 'realm: plant\nfolders:\n  "": [{allow: group:staff}]\n  secret: [{allow: user:kim}]\n'
PEOPLE = (
    "realm: plant\nusers: {kim: {groups: [staff]}, lee: {groups: [staff]}}\ngroups: {staff: {}}\n"
)
ODD = "<img src=x onerror=alert(1)> & <script>alert(2)</script>"


def pdf(word: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page(width=400, height=300)  # empty: the passage is on the second one alone
        page = document.new_page(width=400, height=300)
        page.insert_text((50, 100), f"the {word} gauge reads twelve bar", fontsize=14)
        return document.tobytes()


def files():
    """Name to bytes; each holds a word of its own."""
    yield "manual.pdf", pdf("zirconium")
    yield "secret/plan.pdf", pdf("vanadium")
    picture = Image.new("RGB", (1200, 500), "white")
    draw = ImageDraw.Draw(picture)
    draw.text((100, 200), "molybdenum pressure gauge", fill="black", font_size=64)
    picture.save(buffer := io.BytesIO(), "PNG", dpi=(150, 150))
    yield "scan.png", buffer.getvalue()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["part", "torque"])
    for number in range(30):
        sheet.append(
            [f"bolt {number}", f"tungsten {number} Nm" if number == 17 else f"{number} Nm"]
        )
    book.save(buffer := io.BytesIO())
    yield "ledger.xlsx", buffer.getvalue()
    deck = Presentation()
    for text in ("opening", "the rhodium line stops on Friday"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = text
    deck.save(buffer := io.BytesIO())
    yield "deck.pptx", buffer.getvalue()
    yield (
        "letter.html",
        f"<h1>Iridium procedure</h1><p>wash first</p><p>clean the iridium seal {html.escape(ODD)}</p>".encode(),
    )
    yield "note.txt", f"the osmium valve is closed {ODD}".encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside/manual.pdf", pdf("palladium"))
    yield "bundle.zip", packed.getvalue()
    yield (
        "mail.eml",
        b"From: a@x.example\r\nTo: b@x.example\r\nSubject: ruthenium order\r\n\r\nthe ruthenium order is late\r\n",
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("viewer")
    drive = folder / "drive"
    (drive / "secret").mkdir(parents=True)
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    for name, data in files():
        (drive / name).write_bytes(data)
    settings = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    return settings


@pytest.fixture(scope="module")
def client(home, serving_app):
    keys = [Key("portal", TOKEN), Key("agent", AGENT, readers=("lee",))]
    with open_search_parts(home, "api") as parts:
        viewing = viewing_of(home, parts.catalog)
        app = create_app(parts.searcher, Callers(keys), dict, viewing=viewing)
        with serving_app(app) as url, httpx.Client(base_url=url, timeout=60) as client:
            yield client


def bearer(token=TOKEN):
    return {"Authorization": f"Bearer {token}"}


def hit(client, query, reader="kim"):
    answer = client.post("/v1/search", json={"query": query, "reader": reader}, headers=bearer())
    return next(h for h in answer.json()["hits"] if query in h["text"])


def opened(client, citation, reader="kim", **headers):
    return client.get(citation["open"], params={"reader": reader}, headers={**bearer(), **headers})


WORDS = {
    "zirconium": "manual.pdf",
    "tungsten": "ledger.xlsx",
    "rhodium": "deck.pptx",
    "iridium": "letter.html",
    "osmium": "note.txt",
    "palladium": "bundle.zip!/inside/manual.pdf",
    "ruthenium": "mail.eml",
    "molybdenum": "scan.png",
}


@pytest.mark.parametrize("word", WORDS)
def test_every_format_opens_at_its_place_and_brings_nothing_along(client, word):
    found = hit(client, word)
    assert found["path"] == WORDS[word]
    answer = opened(client, found["citation"])
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    page = answer.text
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in policy
    assert answer.headers["Cache-Control"] == "no-store"
    # nothing runs, nothing is fetched, no element that a document wrote
    assert not re.search(
        r"<(?:script|link|iframe|object|base|form)|\son\w+=|https?:|style=",
        re.sub(r"&lt;.*?&gt;", "", page),
    )
    assert all(
        source.startswith("data:image/png;base64,")
        for source in re.findall(r'(?:src|href)="([^"]*)"', page)
    )
    assert word in page
    assert 'class="cited"' in page
    assert html.escape(found["citation"]["label"]) in page


@pytest.mark.parametrize(
    ("word", "size", "page"),
    [("zirconium", (400, 300), 2), ("palladium", (400, 300), 2), ("molybdenum", (576, 240), 1)],
)
def test_the_box_lies_over_the_words_on_the_picture_of_the_page(client, word, size, page):
    found = hit(client, word)
    shown = opened(client, found["citation"]).text
    assert found["citation"]["page"] == page
    (view,) = re.findall(r'viewBox="0 0 (\S+) (\S+)"', shown)
    assert tuple(float(value) for value in view) == pytest.approx(size, abs=1)
    box = [
        float(v)
        for v in re.findall(
            r'<rect class="cited" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', shown
        )[0]
    ]
    (data,) = re.findall(r"base64,([^\"]+)", shown)
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        scale = image.width / size[0]
        x, y, width, height = (round(value * scale) for value in box)
        grey = image.convert("L").point(lambda value: 255 * (value < 128))
        ink = grey.getbbox()
        assert ink is not None
        inside = grey.crop((x - 8, y - 8, x + width + 8, y + height + 8)).getbbox()
        assert inside is not None
        assert inside[2] - inside[0] == pytest.approx(ink[2] - ink[0], abs=2), (
            "all of the ink is in the box"
        )


def test_on_a_sheet_the_cited_cells_are_marked_and_others_are_not(client):
    page = opened(client, hit(client, "tungsten")["citation"]).text
    marked = re.findall(r'<td class="cited"[^>]*>([^<]*)', page)
    assert "tungsten 17 Nm" in marked
    assert "bolt 17" in marked
    assert "29 Nm" not in marked
    assert re.search(r"<td[^>]*>29 Nm", page)


def test_what_may_not_be_read_opens_as_what_is_not_there(client):
    secret = hit(client, "vanadium")
    assert secret["path"] == "secret/plan.pdf"
    assert "vanadium" in opened(client, secret["citation"]).text
    forbidden = opened(client, secret["citation"], "lee")
    own = secret["citation"]["id"]
    for absent in (
        "0" * 32 + "-" + "0" * 64,
        own[:-1],
        own.replace("-", ""),
        "x",
        own + "-",
        own.upper(),
    ):
        answer = client.get(f"/open/{absent}", params={"reader": "lee"}, headers=bearer())
        assert (answer.status_code, answer.text) == (404, forbidden.text)
    for asked in ({"headers": {}}, {"headers": bearer("a-wrong-token-of-nobody")}):
        assert (
            client.get(secret["citation"]["open"], params={"reader": "kim"}, **asked).status_code
            == 401
        )
    refused = client.get(
        secret["citation"]["open"], params={"reader": "kim"}, headers=bearer(AGENT)
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "reader")


def link(client, citation, reader, token=TOKEN):
    body = {"citation": citation["id"], "reader": reader}
    return client.post("/v1/links", json=body, headers=bearer(token))


def test_a_browser_opens_an_address_without_a_token_and_only_that(client):
    found, other = hit(client, "zirconium")["citation"], hit(client, "vanadium")["citation"]
    given = link(client, found, "lee", AGENT).json()
    assert given["seconds"] == 600
    assert "zirconium" in client.get(given["url"]).text
    ticket = given["url"].partition("?")[2]
    assert client.get(f"{other['open']}?{ticket}").status_code == 401
    assert link(client, other, "lee").status_code == 404
    assert link(client, found, "kim", AGENT).status_code == 403
    assert client.get(f"{found['open']}?{ticket[:-2]}").status_code == 401
    # the reader is the ticket's, whoever is named beside it
    seen = client.get(f"{found['open']}?{ticket}&reader=kim")
    assert seen.status_code == 200


def test_a_ticket_that_was_forged_or_has_run_out_opens_nothing(client, home):
    found = hit(client, "vanadium")["citation"]
    with open_catalog(home) as catalog:
        secret = catalog.meta.get("api.ticket_secret").encode()
    own = Ticket(found["id"], "kim", "portal")
    assert (
        client.get(found["open"], params={"ticket": Tickets(secret, 1).make(own)}).status_code
        == 200
    )
    unsigned = jwt.encode(
        {"aud": "seoga:open", "sub": "kim", "open": found["id"], "exp": 9e9}, None, algorithm="none"
    )
    for ticket in (
        Tickets(secret, -2).make(own),
        Tickets(b"x" * 32, 1).make(own),
        unsigned,
        "",
        "a.b.c",
        "토큰",
    ):
        answer = client.get(found["open"], params={"ticket": ticket})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorised")


def test_a_right_that_was_taken_away_closes_an_address_at_once(client, home):
    found = hit(client, "osmium", "lee")["citation"]
    url = link(client, found, "lee").json()["url"]
    assert client.get(url).status_code == 200
    drive = home.home.parent / "drive"
    (drive / "acl.yaml").write_text(
        ACL + "files: {note.txt: [{allow: user:kim}]}\n", encoding="utf-8"
    )
    try:
        with open_kit(home) as kit:
            source_run(kit, SourceSettings(name="drive", root=drive)).permissions()
        assert client.get(url).status_code == 404
    finally:
        (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
        with open_kit(home) as kit:
            source_run(kit, SourceSettings(name="drive", root=drive)).permissions()


def test_an_original_that_is_gone_is_shown_as_it_was_read(client, home):
    found = hit(client, "zirconium")
    original = home.home.parent / "drive" / "manual.pdf"
    data = original.read_bytes()
    original.write_bytes(pdf("beryllium"))
    try:
        with open_search_parts(home, "api") as parts:  # without the pictures that were drawn before
            pages = viewing_of(home, parts.catalog).pages
            document, chunk = found["document_id"], found["chunk_id"]
            from search.opening import OpeningRequest

            asked = OpeningRequest(document_id=document, reader="kim", around=chunk)
            page = pages.page(parts.searcher.opener.open(asked), chunk)
        assert "data:image" not in page
        assert "zirconium" in page
        assert "beryllium" not in page
    finally:
        original.write_bytes(data)
