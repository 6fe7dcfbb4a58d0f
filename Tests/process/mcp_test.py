"""`/mcp` by clients of the Model Context Protocol, and by messages that no client would send:

    mcp_test.py --server .build/release/navstate [--older PYTHON]

Needs the packages in Tests/mcp/requirements.txt; `--older` is a Python with those in
Tests/mcp/older.txt.
"""
import argparse, asyncio, concurrent.futures, http.client, json, pathlib, subprocess, sys, tempfile

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import methods

from harness import Case, Server

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--older")
options = parser.parse_args()
root = pathlib.Path(__file__).resolve().parents[2]
TOKENS = "owner admin\nhand control remote\neye read\n"
REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"]
KEY = "io.modelcontextprotocol/"
COMMANDS = [
    path.rpartition("/")[2]
    for path, item in json.loads((root / "Sources/Assets/openapi.json").read_text())["paths"].items()
    if path.startswith("/v1/sessions/") and "Commands" in item.get("post", {}).get("tags", [])]
TOOLS = (["listSessions", "createSession", "readSession", "allowed"] + COMMANDS
         + ["waitForChange", "listApps", "readApp"])


def client(port, mode="auto", token=None, origin=None):
    """A client that is connected when it is entered."""
    fields = {}
    if token: fields["Authorization"] = f"Bearer {token}"
    if origin: fields["Origin"] = origin
    transport = streamable_http_client(
        f"http://127.0.0.1:{port}/mcp", http_client=httpx2.AsyncClient(headers=fields, timeout=90))
    return Client(transport, mode=mode)


async def value(agent, tool, **arguments):
    """The result of a call that succeeds."""
    result = await agent.call_tool(tool, arguments)
    (text,) = result.content
    assert not result.is_error, text.text
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


async def problem(agent, tool, **arguments):
    result = await agent.call_tool(tool, arguments)
    assert result.is_error, result
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def post(port, body, fields={}, method="POST"):
    """The status, the type and the value of the answer to a message."""
    if not isinstance(body, (bytes, str)): body = json.dumps(body)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, "/mcp", body, {"Content-Type": "application/json", **fields})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, answer.getheader("Content-Type"), json.loads(data) if data else None
    finally: connection.close()


def send(port, revision, method, params={}, fields={}):
    """The status and the answer to a request, as the revision asks for it."""
    params, fields = dict(params), {**fields, "MCP-Protocol-Version": revision}
    if revision == REVISIONS[-1]:
        params["_meta"] = {KEY + "protocolVersion": revision, KEY + "clientCapabilities": {}}
        fields["Mcp-Method"] = method
        name = params.get("name") or params.get("uri")
        if name: fields["Mcp-Name"] = name
    status, _, answer = post(port, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, fields)
    return status, answer


# MARK: - The story

async def story(port, mode):
    """An agent that knows nothing buys a cup of tea, by what the tools tell it."""
    async with client(port, mode) as agent:
        expected = REVISIONS[-2] if mode == "legacy" else REVISIONS[-1]
        assert agent.protocol_version == expected, agent.protocol_version
        # A client that is told its revision asks for nothing.
        assert mode == REVISIONS[-1] or "allowed" in agent.instructions
        tools = (await agent.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        apps = (await value(agent, "listApps"))["apps"]
        assert "shop" in [app["id"] for app in apps], apps
        session = await value(agent, "createSession", app="shop")
        name = {"session": session["id"]}

        allowed = await value(agent, "allowed", **name)
        product = next(item for item in allowed["push"] if item["route"] == "product")
        assert product["params"]["required"] == ["product"], product
        refused = await problem(agent, "navigate", **name, route="product", params={"product": {"price": -1}})
        assert refused["status"] == 422, refused
        assert {fault["pointer"] for fault in refused["errors"]} == {
            "/params/product/title", "/params/product/price"}, refused
        done = await value(agent, "navigate", **name, route="product",
                           params={"product": {"title": "Green", "price": 3.5}})
        assert done["session"]["visible"]["route"] == "product", done
        for route in ["delivery", "payment"]:
            done = await value(agent, "navigate", **name, route=route)
        held = await value(agent, "navigate", **name, route="order", params={"id": "1"})
        assert held["held"] == "member" and held["session"]["visible"]["route"] == "login", held
        signed = await value(agent, "setFacts", **name, facts={"signedIn": True})
        assert signed["session"]["visible"] == {
            **signed["session"]["visible"], "route": "order", "params": {"id": "1"}}, signed
        assert (await value(agent, "back", **name, count=9))["popped"] == 4
        assert (await value(agent, "undo", **name))["session"]["visible"]["route"] == "order"

        resources = (await agent.list_resources()).resources
        uri = f"navstate://sessions/{session['id']}"
        assert uri in [resource.uri for resource in resources], resources
        templates = (await agent.list_resource_templates()).resource_templates
        assert len(templates) == 2, templates
        for one, tool in [(uri, ("readSession", name)), ("navstate://apps/shop", ("readApp", {"app": "shop"}))]:
            (contents,) = (await agent.read_resource(one)).contents
            assert json.loads(contents.text) == await value(agent, tool[0], **tool[1])
        for fault in [agent.read_resource("navstate://sessions/nobody"), agent.call_tool("buy", {})]:
            try: await fault
            except MCPError as error: assert error.code in (-32002, -32602), error
            else: raise AssertionError("no error")


async def waiting(port):
    """A wait ends at the change that another agent makes."""
    async with client(port) as one, client(port) as other:
        session = await value(one, "createSession")
        name = {"session": session["id"]}
        wait = asyncio.create_task(value(one, "waitForChange", **name, revision=1, seconds=60))
        await value(other, "readSession", **name)
        assert not wait.done()
        changed = await value(other, "navigate", **name, route="r")
        assert await wait == changed["session"]
        same = await value(one, "waitForChange", **name, revision=2, seconds=1)
        assert same == changed["session"]


async def scopes(port, session_token):
    """Each token is told of the tools that it may use, and is refused the others."""
    reads = ["listSessions", "readSession", "allowed", "waitForChange", "listApps", "readApp"]
    own = ["readSession", "allowed"] + COMMANDS + ["waitForChange"]
    for token, expected in [("owner", TOOLS), ("hand", TOOLS),
                            ("eye", [name for name in TOOLS if name in reads]), (session_token, own)]:
        async with client(port, token=token) as agent:
            assert [tool.name for tool in (await agent.list_tools()).tools] == expected, token
    async with client(port, token="eye") as agent:
        refused = await problem(agent, "navigate", session="s", route="r")
        assert refused["type"] == "/problems/forbidden", refused
    async with client(port, token=session_token) as agent:
        assert (await value(agent, "navigate", session="s", route="r"))["changed"]
        assert (await problem(agent, "readSession", session="t"))["status"] == 403
        resources = (await agent.list_resources()).resources
        assert [resource.uri for resource in resources] == ["navstate://sessions/s"], resources
    for arguments in [{}, {"token": "else"}, {"token": "owner", "origin": "https://evil.example"}]:
        for mode in ["auto", "legacy"]:
            try:
                async with client(port, mode, **arguments): pass
            except Exception: continue
            raise AssertionError(f"{arguments} was let in")


# MARK: - The schemas

def conformance(port):
    """The answers in each revision are what the types of the client package say."""
    for revision in REVISIONS:
        isStateless = revision == REVISIONS[-1]
        for method, params in [
            ("server/discover", {}), ("ping", {}), ("tools/list", {}), ("resources/list", {}),
            ("resources/templates/list", {}), ("resources/read", {"uri": "navstate://apps/shop"}),
            ("initialize", {"protocolVersion": revision, "capabilities": {},
                            "clientInfo": {"name": "t", "version": "1"}}),
            ("tools/call", {"name": "createSession", "arguments": {"app": "shop"}}),
            ("tools/call", {"name": "readSession", "arguments": {"session": "?"}}),
        ]:
            status, answer = send(port, revision, method, params)
            if (method, revision) not in methods.SERVER_RESULTS:
                assert answer["error"]["code"] == -32601, answer
                assert status == (404 if isStateless else 200), status
                continue
            assert status == 200 and answer["id"] == 1, answer
            methods.validate_server_result(method, revision, answer["result"])
            if method == "tools/call": assert "structuredContent" in answer["result"]
    return f"{len(REVISIONS)} revisions"


# MARK: - Hostile messages

def hostile(port):
    """Whatever is sent, the answer is an error of JSON-RPC, and the server answers the next one."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    def call(arguments): return {**ping, "method": "tools/call", "params": arguments}
    deep = "[" * 50_000
    inner = lambda n: json.dumps(call({"name": "navigate", "arguments": {"session": "s", "route": "r",
                              "params": {"x": 0}}})).replace("0}", "[" * n + "]" * n + "}")
    bodies = [
        ("", -32700), ("{", -32700), (b"\xff\xfe", -32700), (deep, -32700), ('{"a":' * 5000, -32700),
        (json.dumps(ping) + "x", -32700), ('{"jsonrpc":"2.0","jsonrpc":"2.0"}', -32700),
        (inner(200), -32700), ("null", -32600), ('"ping"', -32600),
        ("[" + "0," * 200_000 + "0]", -32700), ({"jsonrpc": "2.0"}, -32600),
        ({**ping, "id": {"a": 1}}, -32600), ({**ping, "id": 1e400}, -32700), ({**ping, "params": 3}, -32602),
        ({**ping, "method": "x" * 100_000}, -32601), (call({}), -32602), (call({"name": {}}), -32602),
        (call({"name": "x" * 100_000}), -32602), (call({"name": "navigate", "arguments": 3}), -32602),
        ({**ping, "method": "resources/read", "params": {"uri": "navstate://sessions/" + "%" * 9000}}, -32002),
        ({**ping, "method": "resources/read", "params": {"uri": "x" * 500_000}}, -32002),
    ]
    for body, code in bodies:
        status, kind, answer = post(port, body)
        assert status == 200 and kind == "application/json", (status, kind, answer, str(body)[:80])
        assert answer["error"]["code"] == code, (answer, str(body)[:80])
        assert len(json.dumps(answer)) < 600_000, "the answer is longer than the message"
    for array in ["[]", [ping], [ping] * 101]:
        status, kind, answer = post(port, array)
        assert (status, kind) == (400, "application/json"), (status, kind, str(array)[:80])
        assert answer["error"]["code"] == -32600 and answer["id"] is None, answer
    for body in ["x" * (1 << 20) + "x", json.dumps(call({"name": "y" * (2 << 20)}))]:
        status, kind, answer = post(port, body)
        assert (status, kind) == (413, "application/json"), (status, kind)
        assert answer["error"]["code"] == -32600 and answer["id"] is None, answer
    for arguments in [{"session": "../apps/shop"}, {"session": "s/navigate"}, {"session": "s\r\nX: y"},
                      {"session": "s?dryRun=true"}, {"session": ""}, {"session": "é" * 300}]:
        _, _, answer = post(port, call({"name": "readSession", "arguments": arguments}))
        assert answer["result"]["isError"] and "/session" in answer["result"]["content"][0]["text"], answer
    for method in ["GET", "DELETE", "PUT"]:
        assert post(port, "", method=method)[0] == 405
    assert post(port, ping, {"Origin": "https://evil.example"})[0] == 403
    assert post(port, ping, {"Host": "evil.example"})[0] == 403
    assert post(port, ping, {"Content-Type": "text/plain"})[0] == 415
    assert post(port, ping)[2] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    return f"{len(bodies)} bodies"


def at_once(port):
    """Many agents change one session at once: each change is made once and is there afterwards."""
    post(port, {"jsonrpc": "2.0", "id": 0, "method": "tools/call",
                "params": {"name": "createSession", "arguments": {"id": "busy"}}})
    calls = [{"jsonrpc": "2.0", "id": index, "method": "tools/call", "params": {
        "name": "navigate", "arguments": {"session": "busy", "route": f"r{index}"}}} for index in range(160)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [answer for _, _, answer in pool.map(lambda body: post(port, body), calls)]
    assert sorted(answer["id"] for answer in answers) == list(range(160))
    revisions = [json.loads(answer["result"]["content"][0]["text"])["session"]["revision"] for answer in answers]
    assert sorted(revisions) == list(range(2, 162)), sorted(revisions)


def curl_line(port):
    """The last command of docs/agents.md."""
    page = (root / "docs/agents.md").read_text()
    command = page.rsplit("```sh\n", 1)[1].split("```")[0].replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    done = subprocess.run(["bash", "-c", command.replace("curl ", "curl -sS ")], capture_output=True, text=True)
    assert json.loads(done.stdout)["result"]["isError"] is False, done


def older(port):
    url = f"http://127.0.0.1:{port}/mcp"
    script = root / "Tests/mcp/older_client.py"
    done = subprocess.run([options.older, script, url], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("ok\n"), done.stderr[-2000:]


case = Case()
with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    with Server(options.server, work / "open", "--apps", root / "Examples/apps") as server:
        port = server.port
        for mode in ["auto", "legacy", REVISIONS[-1]]:
            case.run(f"an agent uses the shop ({mode})", lambda: asyncio.run(story(port, mode)))
        if options.older: case.run("an older client", lambda: older(port))
        case.run("waits", lambda: asyncio.run(waiting(port)))
        case.run("results conform to the protocol", lambda: conformance(port))
        case.run("hostile messages", lambda: hostile(port))
        case.run("many agents at once", lambda: at_once(port))
        case.run("the command in docs/agents.md", lambda: curl_line(port))
        assert server.end() == 0
    (work / "tokens").write_text(TOKENS)
    with Server(options.server, work / "guarded", "--token-file", work / "tokens") as server:
        fields = {"Authorization": "Bearer owner"}
        for name in ["s", "t"]: server.call("POST", "/v1/sessions", {"id": name}, fields)
        _, made = server.call("POST", "/v1/sessions/s/tokens", {"scope": "control"}, fields)
        case.run("tokens", lambda: asyncio.run(scopes(server.port, made["token"])))
        assert server.end() == 0
print(f"{case.passed} passed, {case.failed} failed")
sys.exit(case.failed > 0)
