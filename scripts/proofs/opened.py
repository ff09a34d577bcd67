"""Every document of the example drive opened at its citations, as each reader: shown and marked for who may read it, not found else.

For every format: passages opened, those whose place is marked, those on the picture of their page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import httpx
from harness.api_server import ApiServer

from app.wiring import open_catalog
from catalog.catalog import Catalog
from contracts.settings import load_settings

__all__ = ["run"]

READERS = ("kim", "choi", "lee", "park", "seo")
PLACES = ("<rect", "<section", "<td")
"""What is marked on a picture, in a text, in a table; an archive's list of names is marked as a whole."""

_OK, _NOT_FOUND = 200, 404


def run(*, passages: int) -> bool:
    """Open at most so many passages of each document; prints counts, says whether all were shown and marked."""
    counts: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    with (
        ApiServer() as server,
        open_catalog(load_settings({"SEOGA_HOME": str(server.home)})) as catalog,
        httpx.Client(base_url=server.url, timeout=120) as client,
    ):
        client.headers["Authorization"] = f"Bearer {server.token}"
        for document_id, path, kind in _documents(catalog):
            counted = counts.setdefault(kind, Counter())
            for reader in READERS:
                asked = {"reader": reader, "limit": 100}
                found = client.get(f"/v1/documents/{document_id}", params=asked)
                if found.status_code == _NOT_FOUND:
                    continue
                own = found.json()["passages"]
                for passage in own[:: max(1, len(own) // passages)][:passages]:
                    address = passage["citation"]["open"]
                    shown = client.get(address, params={"reader": reader})
                    counted["opened"] += 1
                    counted["marked"] += any(f'{one} class="cited"' in shown.text for one in PLACES)
                    counted["on a picture"] += "data:image/png" in shown.text
                    if shown.status_code != _OK or 'class="cited"' not in shown.text:
                        wrong.append(f"{path} {passage['citation']['label']}: {shown.status_code}")
                others = [r for r in READERS if r != reader]
                wrong += _leaks(client, document_id, own, others) if own else []
                break
    for kind, counted in sorted(counts.items()):
        print(f"{kind}: {dict(counted)}")
    for one in wrong[:20]:
        print(f"WRONG {one}")
    print(f"{sum(c['opened'] for c in counts.values())} opened, {len(wrong)} wrong")
    return not wrong and bool(counts)


def _leaks(
    client: httpx.Client, document_id: str, passages: list[dict], readers: list[str]
) -> list[str]:
    """Readers for whom the document and its citation do not agree on whether it is there."""
    found = []
    for reader in readers:
        document = client.get(f"/v1/documents/{document_id}", params={"reader": reader})
        shown = client.get(passages[0]["citation"]["open"], params={"reader": reader})
        if document.status_code != shown.status_code:
            found.append(f"{document_id} as {reader}: {document.status_code} {shown.status_code}")
    return found


def _documents(catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    """Id, path and format of every document that was published."""
    records = [r for r in catalog.documents.stream() if r.state == "live" and r.version_id]
    versions = catalog.versions.get_many(r.version_id for r in records)
    for record in records:
        yield record.document_id, record.path, versions[record.version_id].format
