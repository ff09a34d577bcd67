"""Whatever happens in a mailbox: a listing that asks only for changes is the listing that asks for everything."""

from __future__ import annotations

import contextlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from imapclient.exceptions import IMAPClientError

from contracts.settings import SourceSettings
from contracts.sources import SourceFolder
from ingest.sources.registry import make_source

FOLDERS = ("INBOX", "가", "가/나", "다!")
KINDS = (
    "append",
    "append",
    "append",
    "twin",
    "bare",
    "remove",
    "mark",
    "unmark",
    "move",
    "renew",
    "list",
)
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(FOLDERS), st.integers(0, 5)),
    min_size=3,
    max_size=14,
)


class Mailbox:
    """What happens in it; nothing is looked at but through the server."""

    def __init__(self, mail, user):
        self._mail, self._count = mail, 0
        self.client = mail.client
        self.user = user

    def do(self, kind, folder, choice):
        """One step; one that cannot be done is left out."""
        with contextlib.suppress(IMAPClientError):  # it is there
            self.client.create_folder(folder)
        if kind in {"append", "twin", "bare"}:
            self._count += 1
            number = {"append": f"n{self._count}", "twin": f"t{choice % 2}", "bare": ""}[kind]
            raw = self._mail.letter(f"제목 {choice}", f"내용 {self._count}", number=number)
            self._mail.deliver(folder, raw, (rb"\Seen",) if choice == 1 else ())
            return
        if kind == "renew":
            if folder != "INBOX":
                self.client.delete_folder(folder)
            return
        self.client.select_folder(folder)
        uids = self.client.search()
        if uids and kind != "list":
            uid = uids[choice % len(uids)]
            if kind == "mark":
                self.client.delete_messages([uid])
            elif kind == "unmark":
                self.client.remove_flags([uid], [rb"\Deleted"])
            elif kind == "move":
                self.client.move([uid], "INBOX")
            else:
                self.client.delete_messages([uid])
                self.client.uid_expunge([uid])
        self.client.close_folder()


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_what_is_kept_never_changes_what_is_listed(mail, dovecot, tmp_path_factory, steps):
    user = dovecot.user()
    values = dovecot.settings(user)
    with dovecot.login(user) as client:
        mail.client = client
        mail.deliver("늘", mail.letter("처음", "없으면 빈 메일함", number="first"))
        box = Mailbox(mail, user)
        kept = make_source(SourceSettings(**values), tmp_path_factory.mktemp("kept"))
        list(kept.list())
        for kind, folder, choice in steps:
            box.do(kind, folder, choice)
            if kind == "list":
                list(kept.list())
        found = list(kept.list())
    assert found == list(make_source(SourceSettings(**values)).list())
    paths = [e.path for e in found if not isinstance(e, SourceFolder)]
    assert len(set(paths)) == len(paths)
    items = [e for e in found if hasattr(e, "object_id") and not isinstance(e, SourceFolder)]
    assert [e.path for e in items] == sorted(e.path for e in items)
    assert len({e.object_id for e in items}) == len(items)
