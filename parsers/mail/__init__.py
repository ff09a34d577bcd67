"""Mail: eml, Outlook msg and winmail.dat, mbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.documents import ParsedDocument
    from contracts.parsing import ParserContext, ParserInput

__all__ = ["MailParser"]


class MailParser:
    """Headers to properties, text to blocks, attachments and inner mails to children.

    Properties: ``subject``, ``from``, ``to``, ``cc``, ``bcc``, ``date`` (ISO 8601), ``message_id``,
    ``in_reply_to``, ``references``, ``thread_topic``, ``thread_index`` (base64). What answers repeat of earlier mails is in the
    ``quoted`` layer; in a mail that hands another one on, that is its content.
    """

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one mail or mailbox.

        Raises:
            ParseFailure: ``empty``, ``encrypted``, ``drm:mip``, ``corrupt`` or ``truncated``.
        """
        from parsers.mail.letter import to_document

        if source.format == "msg":
            from parsers.mail.outlook import read_msg

            return to_document(read_msg(source.path), context)
        if source.format == "tnef":
            from parsers.mail.tnef import read_tnef

            return to_document(read_tnef(source.path.read_bytes()), context)
        from parsers.mail.mime import read_mail

        if source.format == "mbox":
            from parsers.mail.mailbox import mails_of, read_mailbox

            with source.path.open("rb") as file:
                mails = mails_of(file)
                first = next(mails, b"")
                alone = next(mails, None) is None
            if not alone:
                return read_mailbox(source.path, context)
            return to_document(read_mail(first), context)
        return to_document(read_mail(source.path.read_bytes()), context)
