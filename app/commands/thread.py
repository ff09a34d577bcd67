"""``seoga thread``: the conversation around a mail, each mail's own words once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from app.threads import Conversation

__all__ = ["command"]


@click.command("thread", short_help="메일 하나의 대화 전체 (the conversation around a mail).")
@click.argument("document", metavar="DOC")
@click.option(
    "--as", "reader", required=True, metavar="USER", help="누구의 권한으로 (whose rights)."
)
@click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")
def command(*, document: str, reader: str, as_json: bool) -> None:
    """DOC(메일이나 첨부의 문서 id)이 속한 대화를 USER 가 읽을 수 있는 메일로, 되풀이되는 글 없이 보여 줍니다.

    The conversation that a mail or an attachment belongs to: oldest mail first, repeated text once, attachments
    named. DOC is a document id, as `seoga search --json` prints it.
    """
    from app.threads import conversation
    from app.wiring import open_access, open_blobs, open_catalog
    from contracts.settings import load_settings

    settings = load_settings()
    with open_catalog(settings) as catalog:
        view = open_access(settings, catalog).filter_for(reader)
        found = conversation(catalog, open_blobs(settings), view, document, reader)
    if as_json:
        import json

        text = json.dumps(found.as_object(), ensure_ascii=False, indent=2)
        click.echo(text.encode("utf-8", "replace").decode())
    else:
        _print(found)


def _print(found: Conversation) -> None:
    click.echo(f"# {found.subject}  ({len(found.messages)}통, messages)")
    for message in found.messages:
        click.echo(f"\n## {message.date}  {message.sender}  {message.subject}".rstrip())
        click.echo(f"   {message.path}  [{message.document_id}]")
        if message.text:
            click.echo(message.text)
        if message.quoted:
            click.echo("   여기에 없는 앞 메일에서 (from a mail that is not here):")
            click.echo("\n".join(f"   > {line}" for line in message.quoted.split("\n")))
        for document_id, name in message.attachments:
            click.echo(f"   첨부 (attachment): {name}  [{document_id}]")
    if not found.complete:
        click.echo("\n더 있습니다 (there is more than can be shown)")
