"""The story of Tests/process/mcp_test.py, told by a client of an older revision:

    older_client.py URL

Needs the packages in older.txt.
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


def value(result):
    assert not result.isError, result
    (text,) = result.content
    return json.loads(text.text)


async def main(url):
    async with streamablehttp_client(url) as (reader, writer, _):
        async with ClientSession(reader, writer) as session:
            begun = await session.initialize()
            assert begun.protocolVersion == "2025-06-18", begun
            assert begun.serverInfo.name == "navstate", begun
            await session.send_ping()
            tools = (await session.list_tools()).tools
            assert len(tools) == 22, [tool.name for tool in tools]
            made = value(await session.call_tool("createSession", {"app": "shop"}))
            name = {"session": made["id"]}
            url = "https://shop.example/category/tea/Green?price=3.5"
            opened = value(await session.call_tool("open", {**name, "url": url}))
            assert opened["session"]["visible"]["route"] == "product", opened
            refused = await session.call_tool("navigate", {**name, "route": "produkt"})
            assert refused.isError
            problem = json.loads(refused.content[0].text)
            assert problem["near"] == ["product"], problem
            read = await session.read_resource(f"navstate://sessions/{made['id']}")
            assert json.loads(read.contents[0].text) == opened["session"], read
    print("ok")


asyncio.run(main(sys.argv[1]))
