"""A real client of the Model Context Protocol, which starts the real command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, Tool

from tests.workers.commands import NOWHERE, ROOT


@dataclass(eq=False)
class McpClient:
    """A session of the SDK, called without `await`."""

    session: ClientSession
    portal: BlockingPortal

    def tools(self) -> list[Tool]:
        return self.portal.call(self.session.list_tools).tools

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.portal.call(partial(self.session.call_tool, tool, arguments))

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The document of a call that is answered; the text is the same document."""
        result = self.call(tool, **arguments)
        assert not result.isError, result.content
        document = result.structuredContent or {}
        assert json.loads(result.content[0].text) == document  # type: ignore[union-attr]
        return document

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The sentence of a call that is refused."""
        result = self.call(tool, **arguments)
        assert result.isError, result.structuredContent
        return str(result.content[0].text)  # type: ignore[union-attr]


@contextmanager
def mcp_client(*words: object, **environment: str) -> Iterator[McpClient]:
    """`manage.py mcp` with these options, as a client starts it."""
    with start_blocking_portal() as portal:
        session = portal.wrap_async_context_manager(_session([str(word) for word in words], environment))
        with session as opened:
            yield McpClient(opened, portal)


@asynccontextmanager
async def _session(words: list[str], environment: dict[str, str]) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp", *words],
        cwd=ROOT,
        env={**os.environ, **NOWHERE, **environment},
    )
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


def text_of(result: CallToolResult) -> str:
    """Everything that a client gets of a call."""
    return result.model_dump_json()
