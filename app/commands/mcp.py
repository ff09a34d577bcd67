"""``seoga mcp``: tools for agents over standard input and output."""

from __future__ import annotations

import sys

import click

__all__ = ["command"]


@click.command(
    "mcp", short_help="에이전트의 도구 (tools for agents: search, answer, open_document)."
)
@click.option(
    "--as", "reader", required=True, metavar="USER", help="누구의 권한으로 (whose rights)."
)
def command(reader: str) -> None:
    """에이전트에게 search, answer, open_document 를 USER 의 권한으로 줍니다 (Model Context Protocol, 표준 입출력).

    Gives an agent three tools over standard input and output, as USER and nobody else. Needs: pip install 'seoga[mcp]'.
    """
    from app.wiring import answerer_of, open_search_parts
    from contracts.errors import ConfigError
    from contracts.settings import load_settings

    try:
        from app.agents import agent_server
    except ModuleNotFoundError as problem:
        raise ConfigError(
            f"{problem.name} 이(가) 없습니다 (is not installed)", advice="pip install 'seoga[mcp]'"
        ) from problem
    settings = load_settings()
    with open_search_parts(settings, "cli", load_settings) as parts:
        # an unknown reader is told now, not with the first question
        parts.check_reader(reader)
        server = agent_server(parts.searcher, answerer_of(settings, parts.searcher), reader)
        sys.stderr.write(f"seoga mcp: {reader}\n")
        server.run("stdio")
