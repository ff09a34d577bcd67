"""``seoga answer``: sentences that answer a question, each with its citation, or a refusal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contracts.answers import Answer

__all__ = ["command"]


@click.command("answer", short_help="사용자 권한으로 답하기 (answer as a user, with citations).")
@click.argument("question")
@click.option(
    "--as", "reader", required=True, metavar="USER", help="누구의 권한으로 (whose rights)."
)
@click.option("--include-obsolete", is_flag=True, help="폐기·초안 포함 (obsolete and drafts too).")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="그날의 기준으로, YYYY-MM-DD (the view of that day).",
)
@click.option("--type", "types", multiple=True, help="문서 종류 (document type); 여러 번 가능.")
@click.option(
    "--sentences",
    type=click.IntRange(1, 10),
    default=3,
    show_default=True,
    help="가장 많은 문장 수.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
@click.option(
    "--explain", is_flag=True, help="확신도와 시간도 (confidence and timings, for operators)."
)
def command(  # noqa: PLR0913  one argument an option
    *,
    question: str,
    reader: str,
    include_obsolete: bool,
    as_of: datetime | None,
    types: tuple[str, ...],
    sentences: int,
    as_json: bool,
    explain: bool,
) -> None:
    """QUESTION 에 USER 가 읽을 수 있는 문서의 문장으로 답합니다. 근거가 부족하면 답하지 않습니다.

    Answers with sentences of documents that USER may read, each with its citation; refuses where they do not hold an
    answer. Exit status 0 in either case.
    """
    from app.wiring import answerer_of, open_searcher
    from contracts.search import SearchRequest
    from contracts.settings import load_settings

    settings = load_settings()
    request = SearchRequest(
        query=question,
        reader=reader,
        include_obsolete=include_obsolete,
        as_of=as_of.date() if as_of else None,
        types=types,
    )
    with open_searcher(settings, "cli") as searcher:
        found = answerer_of(settings, searcher).answer(request, sentences)
    _print(found, as_json=as_json, explain=explain)


def _print(answer: Answer, *, as_json: bool, explain: bool) -> None:
    from search.api.objects import answer_object

    if as_json:
        import json

        text = json.dumps(answer_object(answer, operator=explain), ensure_ascii=False, indent=2)
        click.echo(text.encode("utf-8", "replace").decode())
        return
    for sentence in answer.sentences:
        click.echo(sentence.text.encode("utf-8", "replace").decode())
        for hit in sentence.citations:
            click.echo(
                f"   └ {hit.citation.label} — {hit.path}".encode("utf-8", "replace").decode()
            )
    if not answer.answered:
        click.echo(answer.refusal)
    for hit in answer.tables:
        click.echo(f"   └ {hit.citation.label} — {hit.path}".encode("utf-8", "replace").decode())
    if answer.left_out:
        click.echo(f"자리가 없어 뺀 것 (left out of the context): {', '.join(answer.left_out)}")
    if explain:
        click.echo(f"확신도 (confidence): {answer.confidence:.3f}")
        click.echo(", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.took_ms.items()))
