"""A client that openapi-python-client generated, against the server: it creates a session, drives
it, and reads problems as values of their types."""

import importlib
import json
import pathlib
import sys
import uuid

package, url = sys.argv[1:3]
root = pathlib.Path(package).resolve()
sys.path.insert(0, str(root.parent if (root / "__init__.py").exists() else root))
name = root.name if (root / "__init__.py").exists() else next(
    p.name for p in root.iterdir() if (p / "__init__.py").exists()
)
client = importlib.import_module(name).Client(base_url=url, timeout=10)
models = importlib.import_module(f"{name}.models")


def call(tag, operation, *arguments, **fields):
    module = importlib.import_module(f"{name}.api.{tag}.{operation}")
    return module.sync_detailed(*arguments, client=client, **fields)


def show(answer):
    return answer.status_code, json.loads(answer.content) if answer.content else None


identifier = f"generated-{uuid.uuid4().hex[:12]}"
created = call(
    "sessions",
    "create_session",
    body=models.NewSession.from_dict({"id": identifier, "tabs": ["home", "settings"]}),
)
assert created.status_code == 201, show(created)
assert isinstance(created.parsed, models.Session), type(created.parsed)
assert created.parsed.id == identifier and created.parsed.revision == 1

navigated = call(
    "commands",
    "navigate",
    identifier,
    body=models.Navigate.from_dict({"route": "detail", "params": {"id": 42}}),
)
assert navigated.status_code == 200, show(navigated)
assert navigated.parsed.changed is True
assert navigated.parsed.session.visible.route == "detail"
assert navigated.parsed.session.tabs[0].path[0].params.to_dict() == {"id": 42}

back = call("commands", "back", identifier, body=models.Back.from_dict({}))
assert back.status_code == 200 and back.parsed.popped == 1, show(back)

read = call("sessions", "get_session", identifier)
assert isinstance(read.parsed, models.Session) and read.parsed.revision == 3, show(read)

again = call(
    "sessions", "create_session", body=models.NewSession.from_dict({"id": identifier})
)
assert again.status_code == 409, show(again)
assert again.parsed.type_ == "/problems/session-exists", again.parsed

missing = call("sessions", "get_session", f"{identifier}-x")
assert missing.status_code == 404 and missing.parsed.type_ == "/problems/session-not-found"
assert missing.parsed.status == 404 and missing.parsed.detail

wrong = call(
    "commands", "dismiss", identifier, body=models.Dismiss.from_dict({"sheet": "e99"})
)
assert wrong.status_code == 404 and wrong.parsed.type_ == "/problems/sheet-not-found", show(wrong)

deleted = call("sessions", "delete_session", identifier)
assert deleted.status_code == 204, show(deleted)
print("generated client: a session created, driven, deleted; three problems read by their types")
