"""The ``seoga`` command. Commands are imported only when they run, so that ``--help`` answers at once."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import cast

import click

__all__ = ["main"]

_COMMANDS = {
    "answer": "사용자 권한으로 답하기, 출처와 함께 (answer as a user, with citations)",
    "acl": "권한: 동기화, 설명, 원장 (permissions: sync, explain, ledger)",
    "audit": "감사 기록: 보기, 검증, 내보내기 (who asked what: tail, verify, export)",
    "backup": "카탈로그를 파일 하나로, 되살려 확인하며 (the catalog as one file, checked by restoring it)",
    "beat": "일정대로 일 맡기기 (schedules and the reaper, for workers)",
    "doctor": "이 컴퓨터에 빠진 것 (what is missing on this machine)",
    "eval": "검색 품질 평가 (retrieval figures and benches)",
    "feedback": "사용자의 의견과 신고 (what readers said of results)",
    "index": "색인 다시 만들기 (rebuild the index while it serves)",
    "ingest": "공유 폴더를 지금 수집 (scan, parse and index now)",
    "parse": "파일 하나를 Markdown/JSON으로 (no catalog, no index)",
    "mcp": "에이전트의 도구: 검색, 답, 문서 열기 (tools for agents, MCP)",
    "plan": "몇 건, 몇 명이면 무엇이 드는가 (what a number of documents and people needs)",
    "queue": "맡긴 일 보기와 다시 시키기 (tasks: list, retry, drop)",
    "purge": "문서와 남은 것을 완전히 지우기 (remove documents and leftovers for good)",
    "restore": "백업에서 되살리기 (bring a backup back)",
    "review": "메타데이터 충돌 확인 (conflicts of metadata to settle)",
    "search": "사용자 권한으로 검색 (search as a user)",
    "serve": "검색 API와 일정 실행 (search API and schedules)",
    "source": "수집 대상 관리 (list, add, scan, confirm-deletions)",
    "synonyms": "동의어 사전과 그 효과 미리 보기 (words that mean the same, and what they change)",
    "support-bundle": "문서의 글 없이 진단 자료 묶기 (what helps to find a fault, without document text)",
    "tables": "문서의 표를 목록·내용·SQL로 (tables of a document, asked in SQL)",
    "thread": "메일 하나의 대화 전체 (the conversation around a mail)",
    "status": "저장·대기·실패 현황 (what is stored, queued, failing)",
    "worker": "맡긴 일 하기 (do tasks of the queue)",
}
"""Name → one line of help. ``app/commands/<name>.py`` holds the command itself."""


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        return cast(
            "click.Command", import_module(f"app.commands.{cmd_name.replace('-', '_')}").command
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("명령 (Commands)"):
            formatter.write_dl(sorted(_COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="서가: 공유 폴더의 문서를 권한과 출처가 있는 검색 결과로. (Shared drives in, permitted and cited passages out.)",
)
@click.version_option(package_name="seoga", prog_name="seoga")
def cli() -> None:
    """Entry point of the group."""


def main() -> None:
    """Run the command; a known error is one line on stderr and exit status 2 (1 for unknown readers)."""
    from contracts.errors import SeogaError, UnknownReaderError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without Korean shows what it can
            stream.reconfigure(errors="replace")
    try:
        cli(prog_name="seoga")
    except UnknownReaderError as problem:
        click.echo(f"seoga: {problem}", err=True)
        sys.exit(1)
    except SeogaError as problem:
        click.echo(f"seoga: {problem}", err=True)
        sys.exit(2)
