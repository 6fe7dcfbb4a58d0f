"""The Python client that openapi-generator generates, called against a server:
openapi_generator_test.py URL"""

import sys
import uuid

from navstate_api import (
    AccessApi, ApiClient, ApiException, AppDefinition, AppLink, AppReport, AppRoute, AppsApi,
    AppTab, Back, BackTarget, Batch, BatchCommand, BatchNavigate, BatchSetBadge, CommandsApi,
    Configuration, Dismiss, DismissedSheet, LinkScreen, LinkTarget, LiveApi, ManyCommand,
    Navigate, NewBadge, NewSession, NewToken, OpenLink, Present, Presentation, PresentedSheet,
    PresentStep, Problem, PushStep,
    Session, SessionPatch, SessionsApi, SetBadge, StoredApp, TokenScope,
)

client = ApiClient(Configuration(host=sys.argv[1]))
sessions, commands = SessionsApi(client), CommandsApi(client)
apps, access, live = AppsApi(client), AccessApi(client), LiveApi(client)
run = uuid.uuid4().hex[:12]
app, one, two = f"app-{run}", f"{run}-1", f"{run}-2"


def refused(status, kind, operation, *arguments, **named):
    try:
        operation(*arguments, **named)
    except ApiException as error:
        problem = error.data
        assert error.status == status and isinstance(problem, Problem), error
        assert problem.type == f"/problems/{kind}" and problem.status == status, problem
        assert problem.title and problem.detail, problem
        return problem
    raise AssertionError(f"{kind} was expected")


definition = AppDefinition(
    routes={
        "detail": AppRoute(params={
            "type": "object", "required": ["id"], "additionalProperties": False,
            "properties": {"id": {"type": "integer"}, "note": True},
        }),
        "question": AppRoute(presentation=Presentation("sheet"), result={"type": "boolean"}),
    },
    tabs=[AppTab(id="home", routes=["detail"]), AppTab(id="settings")],
    links=[AppLink(
        pattern="app://detail/{id}", tab="home",
        path=[LinkScreen(LinkTarget(route="detail", params={"id": "{id}"}))],
    )],
)
stored = apps.put_app(app, definition)
assert isinstance(stored, StoredApp) and stored.app.tabs[1].id == "settings", stored
assert stored.app.routes["detail"].params["required"] == ["id"], stored
report = apps.put_app(app, AppDefinition(tabs=[AppTab(id="a"), AppTab(id="a")]), dry_run=True)
report = report.actual_instance
assert isinstance(report, AppReport) and not report.valid and report.errors[0].detail, report

created = sessions.create_session(new_session=NewSession(id=one, app=app))
assert isinstance(created, Session) and created.id == one and created.revision == 1, created
assert [tab.id for tab in created.tabs] == ["home", "settings"]
second = sessions.create_session(new_session=NewSession(id=two, app=app))
assert (second.id, second.revision) == (two, 1), second
refused(409, "session-exists", sessions.create_session, new_session=NewSession(id=one))
free = sessions.create_session(new_session=NewSession(tabs=["b", "a", "c"]))
assert [tab.id for tab in free.tabs] == ["b", "a", "c"] and free.app is None, free
sessions.delete_session(free.id)

response = commands.navigate_with_http_info(
    one, Navigate(route="detail", params={"id": 42, "note": "x"}))
result, etag = response.data, response.headers["ETag"]
assert result.changed and result.added == ["e1"], result
assert result.session.visible.route == "detail" and result.session.visible.container == "home"
entry = result.session.tabs[0].path[0]
assert entry.route == "detail" and entry.params == {"id": 42, "note": "x"}, entry

problem = refused(422, "invalid-params", commands.navigate, one,
                  Navigate(route="detail", params={"id": "42"}))
assert problem.errors[0].pointer == "/params/id", problem
problem = refused(422, "unknown-route", commands.navigate, one, Navigate(route="detial"))
assert problem.near == ["detail"], problem

commands.present(one, Present(route="question"), if_match=etag)
problem = refused(412, "revision-mismatch", commands.back, one, if_match=etag)
assert isinstance(problem.session, Session) and problem.session.revision == 3, problem
assert isinstance(sessions.get_sheet(one, "e2").actual_instance, PresentedSheet)
commands.dismiss(one, dismiss=Dismiss(result=True))
sheet = sessions.get_sheet(one, "e2").actual_instance
assert isinstance(sheet, DismissedSheet) and sheet.result is True and sheet.revision == 4, sheet
refused(404, "sheet-not-found", commands.dismiss, one, dismiss=Dismiss(sheet="e99"))
target = Back(to=BackTarget(entry="e1"), inclusive=True)
assert commands.back(one, back=target).popped == 1

results = commands.batch(one, Batch(commands=[
    BatchCommand(BatchNavigate(command="navigate", route="detail", params={"id": 7})),
    BatchCommand(BatchSetBadge(command="setBadge", tab="settings", badge=NewBadge("new"))),
]))
assert [item.changed for item in results.results] == [True, True], results
assert results.session.tabs[1].badge.actual_instance == "new", results
badge = commands.set_badge(one, SetBadge(tab="settings", badge=NewBadge(3)))
assert badge.session.tabs[1].badge.actual_instance == 3, badge
badge = commands.set_badge(one, SetBadge(tab="settings", badge=NewBadge(0)))
assert badge.session.tabs[1].badge is None, badge
opened = commands.open_link(one, OpenLink(url="app://detail/9"))
assert opened.session.visible.params == {"id": 9}, opened
assert apps.resolve_link(app=app, url="app://detail/9").path[0].route == "detail"

steps = [step.actual_instance for step in sessions.get_steps(var_from=1, id=one, to=3).steps]
assert [type(step) for step in steps] == [PushStep, PresentStep], steps
assert steps[0].var_in == "home" and steps[0].entry.params["id"] == 42, steps
history = sessions.get_history(one, limit=2)
assert history.history[0].command.command == "open" and history.next > 1, history
assert history.history[0].command.additional_properties == {"url": "app://detail/9", "force": False}, history

patched = sessions.update_session(one, session_patch=SessionPatch(labels={"room": run}))
assert patched.labels == {"room": run}, patched
many = ManyCommand.from_dict(
    {"command": {"command": "select", "tab": "settings"}, "labels": {"room": run}})
results = commands.command_many(many).results
assert [(item.session, item.changed) for item in results] == [(one, True)], results
patched = sessions.update_session(one, session_patch=SessionPatch(labels=None, ttl_seconds=600))
assert patched.ttl_seconds == 600, patched
assert not patched.labels and patched.expires_at, patched

page = sessions.list_sessions(q=run, limit=1)
assert [item.id for item in page.sessions] == [one], page
assert page.sessions[0].visible.route == "settings" and page.sessions[0].etag, page
page = sessions.list_sessions(q=run, limit=1, cursor=page.next)
assert [item.id for item in page.sessions] == [two] and page.next is None, page

token = access.create_token(one, NewToken(scope=TokenScope.READ, name="lobby"))
assert token.token and access.list_tokens(one).tokens[0].id == token.id
access.revoke_token(one, token.id)
assert live.list_watchers(one).watchers == []

etag = sessions.get_session_with_http_info(one).headers["ETag"]
sessions.delete_session(one, if_match=etag)
refused(404, "session-not-found", sessions.get_session, one)
refused(409, "app-in-use", apps.delete_app, app)
sessions.delete_session(two)
apps.delete_app(app)
print("openapi-generator, python: the generated client works")
