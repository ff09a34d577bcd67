"""Tables of an ingested document, for who may read it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def seoga(tmp_path_factory, ingested):
    root = tmp_path_factory.mktemp("tables")
    drive = root / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(
        'realm: p\nfolders: {"": [{allow: user:kim}], 공개: [{allow: user:lee}]}\n'
    )
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}, lee: {}}\ngroups: {}\n")
    lines = "\n".join(f"HX-{n:04d},{n},{'가나'[n % 2]}" for n in range(300))
    (drive / "출하 대장.csv").write_text(f"품번,수량,창고\n{lines}\n", encoding="utf-8")
    return ingested(root, SEOGA_PARSE__MAX_CELLS="100")


@pytest.fixture(scope="module")
def ledger(seoga):
    (hit, *_) = json.loads(seoga("search", "출하 대장 수량", "--as", "kim", "--json").stdout)[
        "hits"
    ]
    return hit["document_id"]


def test_the_list_names_each_table_with_its_columns(seoga, ledger):
    (table,) = json.loads(seoga("tables", ledger, "--as", "kim", "--json").stdout)
    assert (table["rows"], table["columns"]) == (300, ["품번", "수량", "창고"])
    shown = seoga("tables", ledger, "--as", "kim").stdout
    assert "300" in shown
    assert '"수량"' in shown


def test_rows_are_shown_and_sums_are_asked_over_all_of_them(seoga, ledger):
    (table,) = json.loads(seoga("tables", ledger, "--as", "kim", "--json").stdout)
    first = seoga("tables", ledger, "--as", "kim", "--show", table["name"], "--rows", "2")
    assert "HX-0001" in first.stdout
    assert "HX-0002" not in first.stdout
    assert "--rows" in first.stdout
    sql = f"""SELECT "창고", sum("수량") FROM "{table["name"]}" GROUP BY 1 ORDER BY 1"""  # noqa: S608  a read-only copy
    asked = json.loads(seoga("tables", ledger, "--as", "kim", "--sql", sql, "--json").stdout)
    assert asked["rows"] == [["가", sum(range(0, 300, 2))], ["나", sum(range(1, 300, 2))]]


def test_what_is_no_plain_select_is_refused_in_one_line(seoga, ledger):
    for sql in ("DELETE FROM x", "SELECT nothing FROM nowhere"):
        refused = seoga("tables", ledger, "--as", "kim", "--sql", sql)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1


def test_who_may_not_read_the_document_hears_what_a_wrong_id_gets(seoga, ledger):
    refused, wrong = seoga("tables", ledger, "--as", "lee"), seoga("tables", "0" * 8, "--as", "lee")
    assert (refused.returncode, refused.stdout) == (wrong.returncode, wrong.stdout) == (2, "")
    assert refused.stderr.replace(ledger, "") == wrong.stderr.replace("0" * 8, "")
