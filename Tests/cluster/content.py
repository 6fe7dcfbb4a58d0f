"""The contents of a store, written and read by the API: an app with guards, sessions with undo,
facts, held commands, sheets with results, tokens, labels and keys, and sessions that have ended."""
import json
import urllib.error
import urllib.request

TOKEN = "a-token-of-the-upgrade-test"
ID = {"type": "object", "required": ["id"], "additionalProperties": False,
      "properties": {"id": {"type": "string", "minLength": 1}}}
APP = {
    "id": "shop", "title": "Shop", "$defs": {"Id": ID},
    "facts": {"signedIn": {"default": False, "schema": {"type": "boolean"}}},
    "guards": {"member": {"when": {"signedIn": True},
                          "instead": {"command": "present", "route": "login"}}},
    "routes": {"product": {"params": {"$ref": "#/$defs/Id"}}, "account": {"guard": "member"},
               "orders": {"guard": "member"},
               "order": {"guard": "member", "params": {"$ref": "#/$defs/Id"}},
               "login": {"presentation": "sheet"},
               "confirm": {"presentation": "sheet", "result": {"type": "boolean"}}},
    "tabs": [{"id": "browse", "routes": ["product", "account", "orders", "order"]},
             {"id": "cart", "routes": ["product"]}],
    "templates": {"offer": {"title": "An offer", "commands": [
        {"command": "navigate", "route": "product", "params": {"id": "offer"}, "mark": "offer"}]}},
    "links": [{"pattern": "shop://orders/{id}", "tab": "browse",
               "path": ["orders", {"route": "order", "params": {"id": "{id}"}}]}]}
#: Sessions, each with its commands. `free` has no app.
SESSIONS = {
    "shop-1": [("navigate", {"route": "product", "params": {"id": "ä 1"}}),
               ("navigate", {"route": "product", "params": {"id": "2"}, "mark": "here"}),
               ("setBadge", {"tab": "cart", "badge": "3"}),
               ("select", {"tab": "cart"}), ("undo", {}), ("undo", {}), ("redo", {})],
    "held": [("open", {"url": "shop://orders/7"})],
    "signed-in": [("setFacts", {"facts": {"signedIn": True}}),
                  ("open", {"url": "shop://orders/8"}),
                  ("present", {"route": "confirm", "tag": "sure"}),
                  ("dismiss", {"tag": "sure", "result": True}), ("back", {})],
    "free": [("navigate", {"route": "anything", "params": {"n": [1, 2.5, None, "x" * 200]}}),
             ("batch", {"commands": [{"command": "navigate", "route": "a"},
                                     {"command": "present", "route": "b"}]}),
             ("dismiss", {}), ("undo", {})],
}
DELETED = "deleted"


def call(url, method, path, body=None, token=TOKEN, **fields):
    """One exchange: the status, the ETag and the value."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, method=method, headers={
        "Authorization": f"Bearer {token}",
        **({"Content-Type": "application/json"} if data else {}),
        **{name.replace("_", "-"): value for name, value in fields.items()}})
    try:
        with urllib.request.urlopen(request, timeout=40) as answer:
            text = answer.read()
            return answer.status, answer.headers["ETag"], json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, None, json.loads(text) if text else None


def commands(prefix):
    """Every creation and command: the path, the body and the idempotency key."""
    for name, steps in SESSIONS.items():
        session, path = prefix + name, f"/v1/sessions/{prefix}{name}"
        app = {} if name == "free" else {"app": "shop"}
        labels = {"made-by": prefix or "nobody", "lang": "ö"}
        yield "/v1/sessions", {"id": session, "labels": labels, **app}, f"{session}-0"
        for number, (command, body) in enumerate(steps, 1):
            yield f"{path}/{command}", body, f"{session}-{number}"


def write(url, prefix=""):
    """Writes everything by one server. Returns the answers by key, and tokens of `shop-1`."""
    status, _, value = call(url, "PUT", "/v1/apps/shop", APP)
    assert status in (200, 201), value
    answers = {}
    for path, body, key in commands(prefix):
        status, tag, value = call(url, "POST", path, body, Idempotency_Key=key)
        assert status in (200, 201), f"{path} {body}: {status} {value}"
        answers[key] = [status, tag, value]
    gone = f"/v1/sessions/{prefix}{DELETED}"
    assert call(url, "POST", "/v1/sessions", {"id": prefix + DELETED})[0] == 201
    assert call(url, "DELETE", gone, Idempotency_Key=f"{prefix}gone")[0] == 204
    tokens = []
    for scope in ("read", "control"):
        status, _, value = call(
            url, "POST", f"/v1/sessions/{prefix}shop-1/tokens", {"scope": scope, "name": scope})
        assert status == 201, value
        tokens.append(value["token"])
    return {"answers": answers, "tokens": tokens}


def read(url, prefix=""):
    """Everything that can be read of it by path: the status, the ETag and the value."""
    paths = ["/v1/apps", "/v1/apps/shop", f"/v1/sessions/{prefix}{DELETED}",
             f"/v1/sessions/{prefix}shop-1/tokens"]
    for name, steps in SESSIONS.items():
        session = f"/v1/sessions/{prefix}{name}"
        paths += [session, f"{session}/history",
                  *(f"{session}?revision={number}" for number in range(1, len(steps) + 2))]
    return {path: list(call(url, "GET", path)) for path in paths}


def covers(now, before):
    """Whether a value is what it was; objects may have more members now."""
    if isinstance(now, dict) and isinstance(before, dict):
        return all(name in now and covers(now[name], value) for name, value in before.items())
    if isinstance(now, list) and isinstance(before, list):
        return len(now) == len(before) and all(map(covers, now, before))
    return now == before


def is_same(now, before):
    """Whether an answer is what it was. A refusal has an id of its own each time."""
    return now[0] == before[0] and (
        now[0] >= 400 or now[1] == before[1] and covers(now[2], before[2]))


def differences(now, before):
    """The answers that differ from those before."""
    return [f"{path}: {json.dumps(before[path])[:300]} is now {json.dumps(now[path])[:300]}"
            for path in before if not is_same(now[path], before[path])]


def check_written(url, written, prefix="", isNew=True):
    """Tokens hold, and repeated requests are answered as before, since keys last a day."""
    shop = f"/v1/sessions/{prefix}shop-1"
    reader, controller = written["tokens"]
    assert call(url, "GET", shop, token=reader)[0] == 200
    assert call(url, "POST", f"{shop}/back", {}, token=reader)[0] == 403
    assert call(url, "GET", f"/v1/sessions/{prefix}free", token=controller)[0] in (403, 404)
    if not isNew:
        return
    for path, body, key in commands(prefix):
        again = list(call(url, "POST", path, body, Idempotency_Key=key))
        assert is_same(again, written["answers"][key]), f"{key}: {again}"
    gone = f"/v1/sessions/{prefix}{DELETED}"
    assert call(url, "DELETE", gone, Idempotency_Key=f"{prefix}gone")[0] == 204


def go_on(url, prefix=""):
    """Changes that need what was stored: a held command, undo and redo, a mark."""
    def change(session, command, body):
        status, _, value = call(url, "POST", f"/v1/sessions/{prefix}{session}/{command}", body)
        assert status == 200, f"{session} {command}: {status} {value}"
        return value

    value = change("held", "setFacts", {"facts": {"signedIn": True}})
    assert value["resumed"] == {"command": "open", "url": "shop://orders/7"}, value
    assert change("shop-1", "redo", {})["changed"] and change("shop-1", "undo", {})["changed"]
    assert change("free", "undo", {})["changed"]
    assert change("signed-in", "navigate", {"route": "product", "params": {"id": "9"}})["changed"]
