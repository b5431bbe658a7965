"""The Model Context Protocol over two streams, by the official SDK: lists the tools, passes calls on. No other module imports it.

Source of the protocol: modelcontextprotocol.io, specification, "Tools" and "Transports" (stdio: a message a line).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import IO

import anyio
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import TextContent, Tool, ToolAnnotations

from spark.terms.installation import WHEEL, version
from workers.management.assistants.assistant import Assistant
from workers.management.assistants.tools import INSTRUCTIONS, TOOLS

READS = ToolAnnotations(readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False)


def serve(assistant: Assistant, requests: IO[str], answers: IO[str]) -> None:
    """Answers requests until their stream ends."""
    anyio.run(partial(_serve, assistant, requests, answers))


async def _serve(assistant: Assistant, requests: IO[str], answers: IO[str]) -> None:
    server: Server[object, object] = Server(WHEEL, version(), INSTRUCTIONS)

    @server.list_tools()  # type: ignore[no-untyped-call, untyped-decorator]
    async def list_tools() -> list[Tool]:
        return [
            Tool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                inputSchema=tool.input_schema,
                outputSchema=tool.output_schema,
                annotations=READS,
            )
            for tool in TOOLS
        ]

    @server.call_tool()  # type: ignore[untyped-decorator]
    async def call_tool(
        name: str, arguments: dict[str, object]
    ) -> tuple[Iterable[TextContent], dict[str, object]]:
        """In a thread, because pings are answered meanwhile. If the client gives up, the next call gets what was inspected."""
        document = await run_sync(assistant.call, name, arguments, abandon_on_cancel=True)
        return [TextContent(type="text", text=json.dumps(document, ensure_ascii=False))], document

    async with stdio_server(anyio.wrap_file(requests), anyio.wrap_file(answers)) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
