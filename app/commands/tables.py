"""``seoga tables``: the tables of a document, shown and asked in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ingest.tables import Answer, TableInfo

__all__ = ["command"]


@click.command("tables", short_help="문서의 표를 목록·내용·SQL로 (tables of a document).")
@click.argument("document", metavar="DOC")
@click.option(
    "--as", "reader", required=True, metavar="USER", help="누구의 권한으로 (whose rights)."
)
@click.option("--show", "name", metavar="TABLE", help="이 표의 첫 행들 (its first rows).")
@click.option(
    "--sql", metavar="SELECT", help='SQLite 의 SELECT 하나; 이름은 "…" 안에 (names in quotes).'
)
@click.option("--rows", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def command(
    *, document: str, reader: str, name: str | None, sql: str | None, rows: int, as_json: bool
) -> None:
    """DOC(문서 id)의 표를 USER 의 권한으로: 목록, 한 표의 첫 행들(--show), 합계와 개수(--sql).

    Tables of a document as it was ingested, large sheets whole: listed; the first rows of one; or one SELECT over them.
    DOC is a document id, as `seoga search --json` prints it.
    """
    from app.document_tables import tables_of
    from app.wiring import open_access, open_blobs, open_catalog
    from contracts.settings import load_settings
    from parsers.common.ledger import quoted

    if name is not None and sql is not None:
        raise click.UsageError("--show 와 --sql 가운데 하나만 (one of both)")
    settings = load_settings()
    with open_catalog(settings) as catalog:
        view = open_access(settings, catalog).filter_for(reader)
        with tables_of(catalog, open_blobs(settings), view, document, reader) as tables:
            if name is None and sql is None:
                _print_list(tables.tables, as_json=as_json)
                return
            asked = sql or f"SELECT * FROM {quoted(name or '')}"  # noqa: S608  quoted
            _print_answer(tables.ask(asked, most_rows=rows), as_json=as_json)


def _print_list(tables: tuple[TableInfo, ...], *, as_json: bool) -> None:
    if as_json:
        _print_json(
            [
                {
                    "name": info.name,
                    "caption": info.caption,
                    "place": info.place,
                    "rows": info.rows,
                    "columns": list(info.columns),
                    "layer": info.layer.value,
                }
                for info in tables
            ]
        )
        return
    if not tables:
        click.echo("표가 없습니다 (no tables)")
    for info in tables:
        about = "  ".join(filter(None, (info.place, info.caption, info.layer.value)))
        click.echo(f'"{info.name}"  {info.rows:,}행 (rows)  {about}')
        click.echo("   " + ", ".join(f'"{column}"' for column in info.columns))


def _print_answer(answer: Answer, *, as_json: bool) -> None:
    if as_json:
        rows = [list(row) for row in answer.rows]
        _print_json({"columns": list(answer.columns), "rows": rows, "cut": answer.cut})
        return
    for row in (answer.columns, *answer.rows):
        click.echo(
            " | ".join("" if value is None else " ".join(str(value).split()) for value in row)
        )
    if answer.cut:
        click.echo("… 더 있습니다: --rows (there are more)")


def _print_json(found: object) -> None:
    import json

    text = json.dumps(found, ensure_ascii=False, indent=2)
    click.echo(text.encode("utf-8", "replace").decode())
