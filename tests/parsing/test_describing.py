"""Generated captions: a double of an OpenAI-compatible endpoint answers over HTTP; pool and parse are real."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pymupdf
import pytest

from contracts.documents import Block, BlockKind, Layer, Origin, ParsedDocument
from contracts.settings import OcrSettings, ParseSettings, VisionSettings, load_settings
from ingest.kit import configuration
from parsers.describing import GENERATED
from parsers.pool import ParsePool


class DoubleEndpoint(HTTPServer):
    """Stands in for the endpoint: keeps what it was asked, answers what it was told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, str, dict]] = []
        self.status = 200
        self.answer: object = {"choices": [{"message": {"content": "막대그래프가\n세 개 있다."}}]}

    @property
    def url(self) -> str:
        """Its address up to ``/v1``."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: DoubleEndpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization", ""), body))
        data = json.dumps(self.server.answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def endpoint() -> Iterator[DoubleEndpoint]:
    server = DoubleEndpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), "본문은 그대로 남는다. 그림은 아래에 있다.", fontname="korea")
    for top, colour in ((100, (200, 30, 30)), (400, (30, 30, 200))):
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 60, 40), 0)
        pixmap.set_rect(pixmap.irect, colour)
        page.insert_image((80, top, 280, top + 120), pixmap=pixmap, keep_proportion=False)
        page.insert_text((90, top + 140), f"그림 {top // 100}. 불량률", fontname="korea")
    path = tmp_path / "file.pdf"
    document.save(path)
    return path


def parsed(file: Path, tmp_path: Path, **vision: object) -> ParsedDocument:
    settings = VisionSettings.model_validate(vision)
    with ParsePool(ParseSettings(workers=1), OcrSettings(), vision=settings) as pool:
        document = pool.parse(file, file.name, tmp_path / "spool").document
    assert document is not None
    return document


def generated(document: ParsedDocument) -> list[Block]:
    return [block for block in document.blocks if block.origin is Origin.GENERATED]


def test_figures_get_captions_that_are_marked_as_generated(endpoint, file, tmp_path):
    document = parsed(file, tmp_path, url=endpoint.url, model="sees", key="s3cret")
    notes = generated(document)
    assert [note.text for note in notes] == ["막대그래프가 세 개 있다."] * 2
    assert {(n.kind, n.layer, n.label) for n in notes} == {(BlockKind.NOTE, Layer.NOTES, GENERATED)}
    before = [document.blocks[document.blocks.index(note) - 1] for note in notes]
    assert [block.kind for block in before] == [BlockKind.FIGURE] * 2
    path, key, body = endpoint.asked[0]
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer s3cret", "sees")
    words, picture = body["messages"][0]["content"]
    assert words["text"].endswith("그림 1. 불량률")
    data = base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,"))
    shown = pymupdf.Pixmap(data)
    assert shown.pixel(shown.width // 2, shown.height // 2) == (200, 30, 30)


def test_nothing_is_asked_without_an_address_or_beyond_the_limit(endpoint, file, tmp_path):
    assert generated(parsed(file, tmp_path)) == []
    assert endpoint.asked == []
    assert len(generated(parsed(file, tmp_path, url=endpoint.url, most_figures=1))) == 1
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("status", "answer", "why"),
    [(503, {}, "HTTP 503"), (200, {"choices": []}, "no chat completion"), (200, [], "no chat")],
)
def test_a_failing_endpoint_costs_no_document(endpoint, file, tmp_path, status, answer, why):
    endpoint.status, endpoint.answer = status, answer
    document = parsed(file, tmp_path, url=endpoint.url)
    assert generated(document) == []
    assert any("본문은 그대로" in block.text for block in document.blocks)
    (warning,) = [line for line in document.warnings if "generated caption" in line]
    assert warning.startswith("2 figures")
    assert why in warning
    assert len(endpoint.asked) == 1  # the rest is not tried


def test_another_model_is_a_reason_to_parse_again_and_no_address_is_none(tmp_path):
    def name(**values: str) -> str:
        environ = {f"SEOGA_VISION__{key.upper()}": value for key, value in values.items()}
        return configuration(load_settings({"SEOGA_HOME": str(tmp_path), **environ}), "", "")

    assert name() == name(model="a")
    assert (
        len({name(), name(url="http://h/v1", model="a"), name(url="http://h/v1", model="b")}) == 3
    )
