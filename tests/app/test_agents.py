"""Tools for agents over standard input and output, with the protocol's own client."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from app.sources import add_source
from app.wiring import open_catalog, open_kit, source_run
from contracts.settings import Settings, SourceSettings

ACL = 'realm: plant\nfolders:\n  "": [{allow: everyone}]\n  비밀: [{allow: user:kim}]\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents")
    drive = folder / "drive"
    (drive / "비밀").mkdir(parents=True)
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    people = "realm: plant\nusers: {kim: {groups: []}, lee: {groups: []}}\n"
    (drive / "directory.yaml").write_text(people, encoding="utf-8")
    (drive / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / "비밀" / "원가.txt").write_text("설비 점검 원가는 120만 원이다.", encoding="utf-8")
    (folder / "home").mkdir()
    (folder / "home" / "seoga.toml").write_text('[embedder]\nengine = "hash"\n', encoding="utf-8")
    settings = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    return folder / "home"


def talk(home, reader, *calls):
    """Results of calls, each ``(tool, arguments)`` or what makes one from the results so far."""

    async def session():
        command = StdioServerParameters(
            command=str(Path(sys.executable).with_name("seoga")),
            args=["mcp", "--as", reader],
            env={**os.environ, "SEOGA_HOME": str(home)},
        )
        async with stdio_client(command) as streams, ClientSession(*streams) as client:
            await client.initialize()
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"search", "answer", "open_document"}
            found = []
            for call in calls:
                name, arguments = call(found) if callable(call) else call
                found.append(await client.call_tool(name, arguments))
            return found

    return asyncio.run(asyncio.wait_for(session(), 120))


def test_an_agent_searches_answers_and_opens_as_its_reader(home):
    found = talk(
        home,
        "lee",
        ("search", {"query": "설비 점검"}),
        ("answer", {"question": "설비 점검 주기는 매주 무슨 요일인가?"}),
        lambda results: (
            "open_document",
            {"document_id": results[0].structured_content["hits"][0]["document_id"]},
        ),
        ("search", {"query": ""}),
    )
    hits, answer, opened, empty = found
    assert [hit["path"] for hit in hits.structured_content["hits"]] == ["공개.txt"]
    assert hits.structured_content["reader"] == "lee"
    assert answer.structured_content["sentences"][0]["text"] == "설비 점검 주기는 매주 월요일이다."
    assert opened.structured_content["path"] == "공개.txt"
    assert empty.is_error
    settings = Settings.model_validate({"home": home, "embedder": {"engine": "hash"}})
    with open_catalog(settings) as catalog:
        assert {row.channel for row in catalog.queries.tail(3)} == {"cli:mcp"}


def test_what_the_reader_may_not_read_is_no_document(home):
    (found,) = talk(home, "kim", ("search", {"query": "설비 점검 원가", "top": 1}))
    secret = found.structured_content["hits"][0]
    assert secret["path"] == "비밀/원가.txt"
    forbidden, absent = talk(
        home,
        "lee",
        ("open_document", {"document_id": secret["document_id"]}),
        ("open_document", {"document_id": "0" * 32}),
    )
    assert forbidden.is_error
    assert forbidden.content == absent.content
