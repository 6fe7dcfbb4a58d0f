"""The client that openapi-python-client generates, called against a server:
openapi_python_client_test.py URL"""

import sys
import uuid

from navstate_client import Client
from navstate_client.api.access import create_token, list_tokens, revoke_token
from navstate_client.api.apps import delete_app, put_app, resolve_link
from navstate_client.api.commands import (
    back, batch, command_many, dismiss, navigate, open_link, present, set_badge,
)
from navstate_client.api.live import list_watchers
from navstate_client.api.service import backup, get_metrics, get_openapi_document
from navstate_client.api.sessions import (
    create_session, delete_session, get_history, get_session, get_sheet, get_steps, list_sessions,
    update_session,
)
from navstate_client.api.streams import stream_session
from navstate_client.models import (
    AppDefinition, AppReport, AppTab, Back, BackTarget, Batch, BatchNavigate,
    BatchNavigateCommand, BatchSetBadge, BatchSetBadgeCommand, Dismiss, DismissedSheet,
    DismissStep, ManyCommand, Navigate, NewSession, NewToken, OpenLink, Params, Present,
    PresentedSheet, PresentStep, Problem, PushStep, Session, SessionPatch,
    SetBadge, StoredApp, TokenScope,
)
from navstate_client.types import UNSET

client = Client(base_url=sys.argv[1], timeout=20)
run = uuid.uuid4().hex[:12]
app, one, two = f"app-{run}", f"{run}-1", f"{run}-2"
definition = AppDefinition.from_dict({
    "routes": {
        "detail": {
            "params": {
                "type": "object", "required": ["id"], "additionalProperties": False,
                "properties": {"id": {"type": "integer"}, "note": True},
            },
        },
        "question": {"presentation": "sheet", "result": {"type": "boolean"}},
    },
    "tabs": [{"id": "home", "routes": ["detail"]}, {"id": "settings"}],
    "links": [{
        "pattern": "app://detail/{id}", "tab": "home",
        "path": [{"route": "detail", "params": {"id": "{id}"}}],
    }],
})


def call(status, operation, *arguments, **named):
    response = operation.sync_detailed(*arguments, client=client, **named)
    assert response.status_code == status, (operation.__name__, response)
    return response


def refused(status, kind, operation, *arguments, **named):
    problem = call(status, operation, *arguments, **named).parsed
    assert isinstance(problem, Problem), problem
    assert problem.type_ == f"/problems/{kind}" and problem.status == status, problem
    assert problem.title and problem.detail, problem
    return problem


def params(**members):
    return Params.from_dict(members)


stored = call(201, put_app, app, body=definition).parsed
assert isinstance(stored, StoredApp) and stored.app.tabs[1].id == "settings", stored
report = call(200, put_app, app, body=AppDefinition(tabs=[AppTab(id="a"), AppTab(id="a")]),
              dry_run=True).parsed
assert isinstance(report, AppReport) and not report.valid and report.errors[0].detail, report

created = call(201, create_session, body=NewSession(id=one, app=app)).parsed
assert isinstance(created, Session) and created.id == one and created.revision == 1, created
assert [tab.id for tab in created.tabs] == ["home", "settings"]
second = call(201, create_session, body=NewSession(id=two, app=app)).parsed
assert (second.id, second.revision) == (two, 1), second
refused(409, "session-exists", create_session, body=NewSession(id=one))
free = call(201, create_session, body=NewSession(tabs=["b", "a", "c"])).parsed
assert [tab.id for tab in free.tabs] == ["b", "a", "c"] and free.app is UNSET, free
call(204, delete_session, free.id)

response = call(200, navigate, one, body=Navigate(route="detail", params=params(id=42, note="x")))
result = response.parsed
assert result.changed and result.added == ["e1"], result
assert result.session.visible.route == "detail" and result.session.visible.container == "home"
entry = result.session.tabs[0].path[0]
assert entry.route == "detail" and entry.params["id"] == 42 and entry.params["note"] == "x", entry
etag = response.headers["ETag"]

problem = refused(422, "invalid-params", navigate, one,
                  body=Navigate(route="detail", params=params(id="42")))
assert problem.errors[0].pointer == "/params/id", problem
problem = refused(422, "unknown-route", navigate, one, body=Navigate(route="detial"))
assert problem.near == ["detail"], problem

call(200, present, one, body=Present(route="question"), if_match=etag)
problem = refused(412, "revision-mismatch", back, one, body=Back(), if_match=etag)
assert isinstance(problem.session, Session) and problem.session.revision == 3, problem
assert isinstance(call(200, get_sheet, one, "e2").parsed, PresentedSheet)
call(200, dismiss, one, body=Dismiss(result=True))
sheet = call(200, get_sheet, one, "e2").parsed
assert isinstance(sheet, DismissedSheet) and sheet.result is True and sheet.revision == 4, sheet
refused(404, "sheet-not-found", dismiss, one, body=Dismiss(sheet="e99"))
target = Back(to=BackTarget(entry="e1"), inclusive=True)
assert call(200, back, one, body=target).parsed.popped == 1

results = call(200, batch, one, body=Batch(commands=[
    BatchNavigate(command=BatchNavigateCommand.NAVIGATE, route="detail", params=params(id=7)),
    BatchSetBadge(command=BatchSetBadgeCommand.SETBADGE, tab="settings", badge="new"),
])).parsed
assert [item.changed for item in results.results] == [True, True], results
assert results.session.tabs[1].badge == "new", results
badge = call(200, set_badge, one, body=SetBadge(tab="settings", badge=3)).parsed
assert badge.session.tabs[1].badge == 3, badge
badge = call(200, set_badge, one, body=SetBadge(tab="settings", badge=None)).parsed
assert not badge.session.tabs[1].badge, badge
opened = call(200, open_link, one, body=OpenLink(url="app://detail/9")).parsed
assert opened.session.visible.params["id"] == 9, opened
assert call(200, resolve_link, app, url_query="app://detail/9").parsed.path[0].route == "detail"

steps = call(200, get_steps, one, from_=1, to=3).parsed.steps
assert [type(step) for step in steps] == [PushStep, PresentStep], steps
assert steps[0].in_ == "home" and steps[0].entry.params["id"] == 42, steps
steps = call(200, get_steps, one, from_=3, to=4).parsed.steps
assert [type(step) for step in steps] == [DismissStep], steps
history = call(200, get_history, one, limit=2).parsed
assert history.history[0].command.command == "open" and history.next_ > 1, history
assert history.history[0].command["url"] == "app://detail/9", history

patch = SessionPatch.from_dict({"labels": {"room": run}})
assert call(200, update_session, one, body=patch).parsed.labels["room"] == run
many = ManyCommand.from_dict(
    {"command": {"command": "select", "tab": "settings"}, "labels": {"room": run}})
results = call(200, command_many, body=many).parsed.results
assert [(item.session, item.changed) for item in results] == [(one, True)], results
patch = SessionPatch.from_dict({"labels": None, "ttlSeconds": 600})
patched = call(200, update_session, one, body=patch).parsed
assert not patched.labels and patched.ttl_seconds == 600 and patched.expires_at, patched

page = call(200, list_sessions, q=run, limit=1).parsed
assert [item.id for item in page.sessions] == [one], page
assert page.sessions[0].visible.route == "settings" and page.sessions[0].etag, page
page = call(200, list_sessions, q=run, limit=1, cursor=page.next_).parsed
assert [item.id for item in page.sessions] == [two] and not page.next_, page

token = call(201, create_token, one, body=NewToken(scope=TokenScope.READ, name="lobby")).parsed
assert token.token and call(200, list_tokens, one).parsed.tokens[0].id == token.id
call(204, revoke_token, one, token.id)
assert call(200, list_watchers, one).parsed.watchers == []
events = call(200, stream_session, one, limit=1).parsed
assert "event: snapshot\n" in events and f'"id":"{one}"' in events, events
assert "navstate_sessions" in call(200, get_metrics).parsed
assert call(200, backup).parsed.startswith("{")
assert call(200, get_openapi_document).parsed.startswith("openapi: 3.1")

etag = call(200, get_session, one).headers["ETag"]
call(304, get_session, one, if_none_match=etag)
call(204, delete_session, one, if_match=etag)
refused(404, "session-not-found", get_session, one)
refused(409, "app-in-use", delete_app, app)
call(204, delete_session, two)
call(204, delete_app, app)
print("openapi-python-client: the generated client works")
