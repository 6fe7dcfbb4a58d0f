#!/usr/bin/env python3
"""Makes what repeats facts that are written elsewhere: generate.py [--check]

    openapi.yaml    → the schemas of the commands in a batch, in openapi.yaml itself
                    → openapi.json, which the page /docs draws
                    → agents.json: the tools of agents, by the schemas of bodies and parameters,
                      and by `x-agents`
                    → web/navstate.js: the methods of the commands
                    → web/navstate.d.ts: their bodies
                    → web/console/command-examples.js: a body for each command
    problems.json   → problems.html: the pages about problems
    web/**/*.js     → the `modulepreload` links of the pages
                    → docs/app.schema.json: the JSON Schema of the document of an app, with what
                      app-schema.json adds
    web/console/symbols.js
                    → KnownSymbols.swift and docs/apps.md: the names of the symbols
    web/, apps      → files.h: the list of embedded files
    NavstateClient/Client/Commands.swift
                    → RemoteSession+Commands.swift: each command as a method of a session

`--check` writes nothing, and names the files that are not up to date. It needs Python alone;
making openapi.json needs PyYAML as well.
"""

import hashlib
import html
import itertools
import json
import os
import pathlib
import re
import sys
import textwrap

ASSETS = pathlib.Path(__file__).resolve().parent
ROOT = ASSETS.parent.parent
WEB = ASSETS / "web"
OPENAPI = ROOT / "openapi.yaml"
OPENAPI_JSON = ASSETS / "openapi.json"
SCHEMAS = "#/components/schemas/"
#: The tools of agents before and after the commands.
TOOLS = ["listSessions", "createSession", "readSession", "allowed", "",
         "waitForChange", "listApps", "readApp"]
#: The commands that a batch cannot have.
ALONE = {"batch", "undo", "redo"}


class Files:
    """The files as they should be, by their paths."""

    def __init__(self):
        self.texts = {}

    def read(self, path):
        return self.texts.get(path) or path.read_text(encoding="utf-8")

    def write(self, path, text):
        self.texts[path] = text

    def replace(self, path, begin, end, text):
        """Replaces the lines between two lines, which stay."""
        old = self.read(path)
        start = old.index(begin) + len(begin)
        self.write(path, old[:start] + text + old[old.index(end, start):])

    def outdated(self):
        for path, text in self.texts.items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                yield path


# MARK: - The OpenAPI document

def batch_schemas(files):
    """The schemas of the commands in a batch: each command's own, with its name."""
    source = files.read(OPENAPI)
    paths = re.findall(
        r"^  /v1/sessions/\{id\}/(\w+):\n(?:    .*\n)*?      tags: \[Commands\]\n(?:(?:    .*)?\n)*?"
        rf'            schema: {{\$ref: "{SCHEMAS}(\w+)"}}', source, re.M)
    commands = [(name, schema) for name, schema in paths if name not in ALONE]
    names = {name: "Batch" + name[0].upper() + name[1:] for name, _ in commands}
    text = "    BatchCommand:\n      description: A command with its name.\n      oneOf:\n"
    text += "".join(f'        - $ref: "{SCHEMAS}{name}"\n' for name in names.values())
    text += "      discriminator:\n        propertyName: command\n        mapping:\n"
    text += "".join(f'          {key}: "{SCHEMAS}{name}"\n' for key, name in names.items())
    for name, schema in commands:
        begin = source.index(f"    {schema}:\n") + len(f"    {schema}:\n")
        lines = re.match(r"(?:      .*\n)+", source[begin:]).group()
        if "      required: [" in lines:
            lines = lines.replace("      required: [", "      required: [command, ", 1)
        else:
            lines = lines.replace(
                "      type: object\n", "      type: object\n      required: [command]\n", 1)
        lines = lines.replace(
            "      properties:\n",
            f"      properties:\n        command: {{type: string, enum: [{name}]}}\n", 1)
        text += f"    {names[name]}:\n{lines}"
    files.replace(
        OPENAPI, "    # Begin of the schemas that Sources/Assets/generate.py makes from those above.\n",
        "    # End of these schemas.\n", text)


def document(files):
    """The OpenAPI document as a value. Without PyYAML, openapi.json has it, if it is up to date."""
    text = files.read(OPENAPI)
    digest = hashlib.sha256(text.encode()).hexdigest()
    try:
        import yaml
        value = {"x-source-sha256": digest} | texts(yaml.safe_load(text))
    except ImportError:
        value = json.loads(OPENAPI_JSON.read_text(encoding="utf-8"))
        if value["x-source-sha256"] != digest:
            raise SystemExit("openapi.yaml has changed: run Sources/Assets/generate.py, which "
                             "needs PyYAML (pip install pyyaml)") from None
    files.write(OPENAPI_JSON, lines_of(value) + "\n")
    return value


def texts(value):
    """The value, in which YAML has not taken a key such as `on` for a truth value."""
    if isinstance(value, dict):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise SystemExit(f"openapi.yaml: quote the keys {wrong}")
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, (dict, list)):
            texts(part)
    return value


def lines_of(value, depth=3):
    """JSON with a line for each path and schema."""
    if depth == 0 or not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    items = (f"{json.dumps(key)}:{lines_of(item, depth - 1)}" for key, item in value.items())
    return "{" + ",\n".join(items) + "}"


class API:
    """The OpenAPI document, and how to look things up in it."""

    def __init__(self, value):
        self.value = value
        self.schemas = value["components"]["schemas"]
        self.operations = [
            (path, method, operation, item.get("parameters", []))
            for path, item in value["paths"].items()
            for method, operation in item.items() if method != "parameters"]

    def at(self, reference):
        value = self.value
        for step in reference.removeprefix("#/").split("/"):
            value = value[step]
        return value

    def resolved(self, item):
        return self.at(item["$ref"]) if "$ref" in item else item

    @property
    def commands(self):
        """The names of the commands, with their operations."""
        return [(path.split("/")[-1], operation) for path, _, operation, _ in self.operations
                if "Commands" in operation["tags"] and path.startswith("/v1/sessions/")]

    def body(self, operation):
        return operation["requestBody"]["content"]["application/json"]

    def flat(self, schema):
        """The schema with what it refers to in place of the references, and without notes."""
        if isinstance(schema, list):
            return [self.flat(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        schema = {key: value for key, value in schema.items()
                  if key not in ("example", "format", "discriminator")}
        if "$ref" in schema:
            return self.flat(self.at(schema["$ref"]))
        if schema.get("oneOf", [{}])[0].get("$ref", "").startswith(f"{SCHEMAS}Batch"):
            # The tools of the commands describe their arguments.
            return {"oneOf": bare(self.flat(schema["oneOf"]))}
        if len(schema.get("allOf", [])) == 1:
            (only,) = schema.pop("allOf")
            return self.flat(only) | self.flat(schema)
        # Below `properties` the keys are names of members, which are no notes.
        return {
            key: {name: self.flat(part) for name, part in value.items()}
            if key in ("properties", "dependentSchemas", "$defs") else self.flat(value)
            for key, value in schema.items()}


def bare(schema):
    """The schema without descriptions."""
    if isinstance(schema, list):
        return [bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: bare(value) for key, value in schema.items()
            if key != "description" or not isinstance(value, str)}


# MARK: - The tools of agents

def agents(files, api):
    guide = next(operation["x-agents"] for path, _, operation, _ in api.operations
                 if path == "/mcp")
    tools = []
    for path, method, operation, shared in api.operations:
        notes = operation.get("x-agents", [])
        if path == "/mcp":
            continue
        for note in notes if isinstance(notes, list) else [notes]:
            tools.append(tool(api, path, method, operation, shared, note, guide))
    # Reads of sessions come before the commands, as models should use them, and apps come last.
    tools.sort(key=lambda item: TOOLS.index(item["name"]) if item["name"] in TOOLS else 4)
    value = {"instructions": guide["instructions"], "tools": tools}
    files.write(ASSETS / "agents.json", json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def tool(api, path, method, operation, shared, note, guide):
    description = note["description"]
    if "Commands" in operation["tags"] and not note.get("hasOwnResult"):
        description += " " + guide["result"]
    isRead = method == "get"
    return {
        "name": note.get("name", operation["operationId"]),
        "title": note.get("title", operation["summary"]),
        "description": description,
        "inputSchema": input_schema(api, operation, shared, note),
        "annotations": {
            "readOnlyHint": isRead,
            "destructiveHint": note.get("destructive", False),
            "idempotentHint": isRead or note.get("idempotent", False)},
        # For the server, which does not show it.
        "request": {
            "method": method.upper(), "path": path, "waits": note.get("waits", False),
            "query": note.get("query", [
                item["name"] for item in map(api.resolved, operation.get("parameters", []))
                if item["in"] == "query" and isRead])},
    }


def input_schema(api, operation, shared, note):
    """The arguments of a tool: the variables of the URL, the query or the members of the body."""
    schema = {"type": "object", "additionalProperties": False, "properties": {}}
    if "requestBody" in operation:
        schema |= api.flat(api.body(operation)["schema"])
    variables, required = {}, []
    for item in map(api.resolved, shared + operation.get("parameters", [])):
        name, place = item["name"], item["in"]
        if place == "path":
            name = "session" if name == "id" else name
            required.append(name)
        elif place != "query" or name not in note.get("query", [name]) or name == "dryRun":
            continue
        variables[name] = api.flat(item["schema"]) | {"description": item["description"]}
    schema["properties"] = variables | schema["properties"]
    for name, more in note.get("properties", {}).items():
        schema["properties"].setdefault(name, {}).update(more)
    required += schema.pop("required", []) + note.get("required", [])
    if required:
        schema["required"] = required
    return schema


# MARK: - JavaScript

#: Schemas that have a type of their own in navstate.js.
TYPES = {"Params": "Params", "BatchCommand": "Command"}


def type_of(api, schema):
    """The type of a value in TypeScript."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(SCHEMAS)
        return TYPES.get(name) or type_of(api, api.schemas[name])
    if "allOf" in schema:
        return type_of(api, schema["allOf"][0])
    if "oneOf" in schema:
        union = [part for item in schema["oneOf"] for part in type_of(api, item).split(" | ")]
        return " | ".join(sorted(set(union), key=lambda part: (part == "null", union.index(part))))
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return " | ".join(type_of(api, {**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        item = type_of(api, schema["items"])
        return f"({item})[]" if " | " in item and not item.startswith("{") else f"{item}[]"
    if kinds == "object":
        return object_type(api, schema)
    return {"integer": "number"}.get(kinds, kinds)


def object_type(api, schema):
    if "properties" not in schema:
        return "Record<string, any>"
    required = schema.get("required", [])
    members = [
        (name, name if name in required else f"{name}?", type_of(api, part))
        for name, part in schema["properties"].items()]
    if schema.get("maxProperties") == 1:
        return " | ".join(f"{{ {name}: {part} }}" for name, _, part in members)
    return "{ " + ", ".join(f"{name}: {part}" for _, name, part in members) + " }"


def comment(text, more=""):
    return textwrap.wrap(
        text, width=100, initial_indent="     * ", subsequent_indent="     * " + more,
        break_long_words=False, break_on_hyphens=False)


def broken(text, indent=""):
    """The lines of a declaration, which is broken after commas and bars only."""
    kept = re.sub(r"(?<![,|]) ", "\0", text)
    return [line.replace("\0", " ") for line in textwrap.wrap(
        kept, width=100, initial_indent=indent, subsequent_indent=indent + "    ",
        break_long_words=False, break_on_hyphens=False)]


def parameter(kind, word):
    """A line of JSDoc, which is broken after commas and bars only."""
    kept = re.sub(r"(?<![,|]) ", "\0", f"{{{kind}}} {word}")
    return [line.replace("\0", " ") for line in comment(f"@param {kept}", "  ")]


def summary(operation):
    """The heading of an operation, and the first paragraph of its description."""
    first = operation["description"].split("\n\n")[0].strip()
    if first.endswith(":"):
        first = first.rpartition(". ")[0] + "."
    return [*comment(operation["summary"] + "."), "     *", *comment(first)]


def javascript(files, api):
    text = ""
    for name, operation in api.commands:
        body = api.body(operation)["schema"]
        word = "body" if operation["requestBody"]["required"] else "[body]"
        doc = [*summary(operation), "     *", "     * @param {string} id",
               *parameter(type_of(api, body), word), "     * @param {ChangeOptions} [options]"]
        text += "    /**\n" + "\n".join(doc) + "\n     */\n"
        text += f"    {name}(id, body, options) {{\n"
        text += f'        return this.command(id, "{name}", body, options);\n    }}\n\n'
    files.replace(
        WEB / "navstate.js",
        "    // Begin of what Sources/Assets/generate.py makes of openapi.yaml.\n\n",
        "    // End of it.\n", text)
    listed = next(operation for _, _, operation, _ in api.operations
                  if operation["operationId"] == "listSessions")
    members = []
    for item in map(api.resolved, listed["parameters"]):
        kind = type_of(api, item["schema"])
        kind = f"{kind[:-2]} | {kind}" if kind.endswith("[]") else kind
        members.append(f"{item['name']}?: {kind}")
    declared = ["/** `q` is the start of the id, a label is `key:value`, `limit` is the size of a page. */",
                *broken("export type SessionFilter = { "
                        + ", ".join([*members, "signal?: AbortSignal"]) + " };"),
                "/** The body of each command. */", "export interface Bodies {"]
    for name, operation in api.commands:
        declared += broken(f"{name}: {type_of(api, api.body(operation)['schema'])};", "    ")
    bodiless = [f'"{name}"' for name, operation in api.commands
                if not operation["requestBody"]["required"]]
    declared += ["}", "/** The commands that may be sent without a body. */",
                 *broken(f"export type Bodiless = {' | '.join(bodiless)};")]
    files.replace(
        WEB / "navstate.d.ts", "// Made by Sources/Assets/generate.py of openapi.yaml:\n",
        "// End of it.\n", "\n".join(declared) + "\n")
    examples = {
        name: next(iter(api.body(operation)["examples"].values()))["value"]
        for name, operation in api.commands}
    text = ("// Made by Sources/Assets/generate.py of openapi.yaml.\n\n"
            "/**\n * Each command with an example of its body.\n *\n"
            " * @type {Record<string, any>}\n */\n"
            "export const examples = {\n")
    for name, value in examples.items():
        text += f"    {name}: {json.dumps(value, ensure_ascii=False)},\n"
    files.write(WEB / "console/command-examples.js", text + "};\n")


# MARK: - Pages

def preloads(files):
    """Has the pages name all their modules, so that a browser requests them at once."""
    for page in [*sorted(WEB.glob("*.html")), ASSETS / "problems.html"]:
        text = re.sub(r'<link rel="modulepreload" href=".*">\n', "", files.read(page))
        script = re.search(r'<script type="module" src="(.*)"></script>\n', text)
        module = WEB / script.group(1)[1:]
        # The server makes start.js, which has all modules of the console.
        loaded = modules(files, module)[1:] if module.name != "start.js" else []
        links = "".join(
            f'<link rel="modulepreload" href="/{module.relative_to(WEB)}">\n' for module in loaded)
        files.write(page, text[:script.end()] + links + text[script.end():])


def modules(files, module, found=None):
    """A module and those that it imports, directly or not."""
    found = found if found is not None else []
    found.append(module)
    for name in re.findall(r'^import .* from "(\..*)";$', files.read(module), re.M):
        path = (module.parent / name).resolve()
        if path not in found:
            modules(files, path, found)
    return found


def problem_rows():
    """The names of all problems with their statuses, reasons and titles, as the server has them."""
    text = (ROOT / "Sources/Navigation/Problems/ProblemKind.swift").read_text(encoding="utf-8")
    names = {case: name or case for case, name in re.findall(
        r'^    case (\w+)(?: = "(.*)")?$', text, re.M)}
    status = (ROOT / "Sources/HTTP/Response/Status.swift").read_text(encoding="utf-8")
    cases = dict(re.findall(r"^    case `?(\w+)`? = (\d+)$", status, re.M))
    reasons = {
        cases[name]: reason
        for name, reason in re.findall(r'^        case \.`?(\w+)`?: "(.*)"$', status, re.M)}
    return {
        names[case]: (code, reasons[code], title)
        for case, code, title in re.findall(
            r'^        case \.(\w+):\s*\((\d+), "(.*)"\)$', text, re.M)}


def escaped(text):
    return html.escape(text, quote=False).replace('"', "&quot;")


def problem_pages(files):
    """The pages about problems, between form feeds: the three parts of their frame, and for each
    page its name, its title and its content."""
    problems = json.loads(files.read(ASSETS / "problems.json"))
    rows = problem_rows()
    missing = rows.keys() ^ {problem["type"] for problem in problems}
    if missing:
        raise SystemExit(f"problems.json and ProblemKind.swift differ in {', '.join(missing)}")
    frame = files.read(ASSETS / "problem-frame.html").replace("\n{content}\n", "{content}")
    pages = [re.sub(r"\{title\}|\{content\}", "\f", frame)]
    pages.append("problems\nProblems\n" + problem_list(problems, rows))
    pages.append("missing-page\nPage not found\n" + MISSING_PAGE)
    for problem in problems:
        name = problem["type"]
        pages.append(f"{name}\n{escaped(rows[name][2])}\n" + problem_page(problem, *rows[name]))
    files.write(ASSETS / "problems.html", "\f".join(pages))


MISSING_PAGE = """
<h1>Page not found</h1>
<p>There is no page at this address. Perhaps it is misspelled, or the link to it is old.</p>
<ul class="ways">
<li><a href="/">Console</a> <span class="dim">The sessions and apps of this server.</span></li>
<li><a href="/play">Playground</a> <span class="dim">Try the document of an app.</span></li>
<li><a href="/docs">API documentation</a> <span class="dim">Every URL, with a form to try it.\
</span></li>
<li><a href="/problems">Problems</a> <span class="dim">Every refusal, and what to do about it.\
</span></li>
</ul>
<p class="dim">A program gets the problem <a href="/problems/not-found"><code>not-found</code></a> \
as JSON.</p>
"""


def marked(text):
    """Text with `code` as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped(text))


def problem_list(problems, rows):
    text, statuses = "", ""
    for code, group in itertools.groupby(problems, lambda problem: rows[problem["type"]][0]):
        group = list(group)
        reason = rows[group[0]["type"]][1]
        statuses += f'<li><a href="#{code}"><strong>{code}</strong> {reason}</a></li>\n'
        text += f'<h2 id="{code}">{code} {reason}</h2>\n'
        for problem in group:
            name = problem["type"]
            first = problem["cause"].split(". ")[0].removesuffix(".") + "."
            text += (f'<a class="problem-row" href="/problems/{name}">'
                     f'<strong>{escaped(rows[name][2])}</strong> <code>{name}</code> '
                     f'<span class="dim">{marked(first)}</span></a>\n')
    return f"""
<h1>Problems</h1>
<p>Every refusal is a problem as RFC 9457 defines it: its <code>type</code> is one of these and \
never changes, and its <code>detail</code> says what to do about this request.</p>
<div class="problem-columns">
<nav class="statuses" aria-label="Statuses"><ul>
{statuses}</ul></nav>
<div class="problem-list" id="problems">
{text}</div>
</div>
"""


def problem_page(problem, code, reason, title):
    example = ""
    if problem.get("answer"):
        answer = json.dumps(problem["answer"], indent=2, ensure_ascii=False)
        example = f"""<h2>Example</h2>
<pre class="json" tabindex="0" role="region" aria-label="Request" data-curl>\
{escaped(problem["request"])}</pre>
<p class="dim">The server answers {code} {reason}:</p>
<pre class="json" tabindex="0" role="region" aria-label="Response" data-json>{escaped(answer)}</pre>
"""
    see = problem.get("see", {"/docs": "API documentation"})
    ways = ", ".join(f'<a href="{url}">{escaped(name)}</a>' for url, name in see.items())
    return f"""
<p><a href="/problems">All problems</a></p>
<h1>{escaped(title)}</h1>
<p class="problem-kind"><code>{problem["type"]}</code> \
<span class="status-chip">{code} {reason}</span></p>
<h2>Cause</h2>
<p>{marked(problem["cause"])}</p>
<h2>What to do</h2>
<p>{marked(problem["advice"])}</p>
{example}<p class="problem-more">See also: {ways}</p>
"""


# MARK: - The documents of apps

APP_SCHEMA = ROOT / "docs/app.schema.json"
#: More of the schemas: rules between members, and the keywords of schemas. They are not in
#: the OpenAPI document because generators of clients do not understand them.
APP_SCHEMA_MORE = ASSETS / "app-schema.json"


def symbols(files):
    """The names of the symbols for tabs, from the table that the pages draw from."""
    names = re.findall(r'^    "?([\w.]+)"?: "', files.read(WEB / "console/symbols.js"), re.M)
    rows = textwrap.wrap(
        ", ".join(f'"{name}"' for name in names), width=100, initial_indent=" " * 8,
        subsequent_indent=" " * 8, break_on_hyphens=False)
    files.write(ROOT / "Sources/Navigation/Apps/KnownSymbols.swift", """\
// Made by Sources/Assets/generate.py from Sources/Assets/web/console/symbols.js.

/// The symbols that the pages of the server can draw.
enum KnownSymbols {
    static let names = [
""" + "\n".join(rows) + ",\n    ]\n}\n")
    text = textwrap.fill(
        ", ".join(f"`{name}`" for name in names), width=120, break_on_hyphens=False)
    files.replace(ROOT / "docs/apps.md", "<!-- symbols -->\n", "<!-- /symbols -->\n", text + "\n")
    return names


def app_schema(files, api, names):
    """The JSON Schema of an app's document, with all that it refers to."""
    found = {}

    def copied(value):
        if isinstance(value, list): return [copied(item) for item in value]
        if not isinstance(value, dict): return value
        if reference := value.get("$ref"):
            name = reference.removeprefix(SCHEMAS)
            if name not in found:
                found[name] = None
                found[name] = copied(api.schemas[name])
            return {"$ref": f"#/$defs/{name}"}
        # Validators know `if` at least as well as `dependentSchemas`, and navstate's own only `if`.
        conditions = [{"if": {"required": [name]}, "then": copied(part)}
                      for name, part in value.get("dependentSchemas", {}).items()]
        made = {key: copied_keyword(key, item) for key, item in value.items()
                if key not in ("example", "discriminator", "dependentSchemas")}
        return made | {"allOf": made.get("allOf", []) + conditions} if conditions else made

    def copied_keyword(key, item):
        # The keys of these are names and no keywords.
        if key in ("properties", "patternProperties", "dependentRequired"):
            return {name: copied(part) for name, part in item.items()}
        return item if key in ("enum", "const", "default", "examples") else copied(item)

    schema = copied(api.schemas["AppDefinition"])
    for name, more in json.loads(files.read(APP_SCHEMA_MORE)).items():
        found[name] |= more
    found["AppTab"]["properties"]["icon"]["examples"] = names
    value = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "navstate app"}
    value |= schema | {"$defs": {name: found[name] for name in sorted(found)}}
    files.write(APP_SCHEMA, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


# MARK: - The embedded files

def embedded():
    """The embedded files with the paths at which they are served, or by which they are found."""
    pages = {"index.html": "/", "docs.html": "/docs", "display.html": "/display",
             "play.html": "/play", "rules.wasm.gz": "/rules.wasm", "rules.wasm.br": "rules.wasm.br"}
    for name in ("agents.json", "problems.html"):
        yield name, ASSETS / name
    apps = sorted((ROOT / "Examples/apps").glob("*.json"))
    for app in apps:
        yield f"apps/{app.stem}", app
    yield "/console/demo-app.json", ROOT / "Examples/apps/shop.json"
    yield "/app.schema.json", APP_SCHEMA
    yield "/openapi.yaml", OPENAPI
    yield "/openapi.json", OPENAPI_JSON
    for file in sorted(WEB.rglob("*.*")):
        if file.name != "package.json":
            yield pages.get(file.name, f"/{file.relative_to(WEB)}"), file


def file_list(files):
    listed = dict(embedded())
    listed["/console/command-examples.js"] = WEB / "console/command-examples.js"
    text = "// Made by Sources/Assets/generate.py: the embedded files and their paths.\n\n"
    rows = ""
    for number, (path, file) in enumerate(sorted(listed.items())):
        text += f"static const unsigned char file_{number}[] = {{\n"
        text += f'#embed "{os.path.relpath(file, ASSETS)}"\n}};\n'
        rows += f'    {{"{path}", file_{number}, sizeof file_{number}}},\n'
    text += "\nstatic const struct {\n    const char *path;\n    const unsigned char *bytes;\n"
    text += f"    size_t size;\n}} assets[] = {{\n{rows}}};\n"
    files.write(ASSETS / "files.h", text)


# MARK: - The Swift client

#: The types of the Swift client; all others are JSON.
SWIFT_TYPES = {"string": "String", "number": "Int", "boolean": "Bool", "string[]": "[String]"}


def swift_methods(files, api):
    """Each function that makes a command, as a method of RemoteSession. A command without such a
    function gets one by the schema of its body."""
    folder = ROOT / "Sources/NavstateClient/Client"
    source, path = files.read(folder / "Commands.swift"), folder / "RemoteSession+Commands.swift"
    begin = "    // Begin of what Sources/Assets/generate.py makes of `Commands`.\n\n"
    functions = re.findall(
        r"^((?:    ///.*\n)+)    public static func (\w+)\(\n?([^{]*?)\n?\s*\) -> Nav\.Command \{$",
        source, re.M)
    methods = [swift_method(*function) for function in functions]
    made = {name for _, name, _ in functions}
    factories = ""
    for name, operation in api.commands:
        if name not in made:
            doc, parameters, members = swift_factory(api, operation)
            methods.append(swift_method(doc, name, parameters))
            factories += f"\n{doc}    public static func {name}(\n        {parameters}\n"
            factories += f"    ) -> Nav.Command {{\n        Nav.Command(\n            \"{name}\",\n"
            factories += f"            [\n{members}            ])\n    }}\n"
    text = "\n\n".join(methods) + "\n\n"
    if factories:
        text += "}\n\nextension Nav.Command {" + factories + "\n"
    files.replace(path, begin, "    // End of it.\n", text)


def swift_factory(api, operation):
    """The documentation, the parameters and the members of a function that makes a command."""
    schema = api.body(operation)["schema"]
    schema = api.at(schema["$ref"]) if "$ref" in schema else schema
    parameters, members = [], ""
    for member, part in schema["properties"].items():
        kind = " | ".join({"string" if one.startswith('"') else one
                           for one in type_of(api, part).split(" | ")})
        isOptional = member not in schema.get("required", [])
        parameters.append(
            f"{member}: {SWIFT_TYPES.get(kind, 'JSONValue')}{'? = nil' if isOptional else ''}")
        members += f'                "{member}": {member},\n'
    doc = "".join(
        f"    ///{' ' if line.strip(' *') else ''}{line.strip(' *')}\n"
        for line in summary(operation))
    return doc, ",\n        ".join(parameters), members


def swift_method(doc, name, parameters):
    # The options of a presentation have another name beside those of a change.
    arguments, passed = [], []
    for item in re.split(r",\s+(?=\w+:|\w+ \w+:)", " ".join(parameters.split())):
        words, _, rest = item.partition(":")
        label, *inner = words.split()
        own = inner[0] if inner else label
        if own == "options":
            words, own = "presentation", "presentation"
        arguments.append(f"{words}:{rest}")
        passed.append(own if label == "_" else f"{label}: {own}")
    text = ", ".join([*arguments, "options: ChangeOptions = .standard"])
    lines = [line.replace("\0", " ") for line in textwrap.wrap(
        re.sub(r"(?<!,) ", "\0", text), width=100, initial_indent=" " * 8,
        subsequent_indent=" " * 8, break_on_hyphens=False, break_long_words=False)]
    made = f".{name}({', '.join(passed)}), options: options)"
    body = f"        try await perform({made}"
    if len(body) > 100:
        body = f"        try await perform(\n            {made}"
    if len(made) > 100 - 12:
        body = body.replace(", options: options)", ",\n            options: options)")
    return (f"{doc}    @discardableResult\n    public func {name}(\n" + "\n".join(lines)
            + "\n    ) async throws(NavstateError) -> CommandResult {\n" + body + "\n    }")


def main():
    files = Files()
    batch_schemas(files)
    api = API(document(files))
    agents(files, api)
    javascript(files, api)
    problem_pages(files)
    app_schema(files, api, symbols(files))
    preloads(files)
    file_list(files)
    swift_methods(files, api)
    outdated = list(files.outdated())
    if sys.argv[1:] == ["--check"]:
        for path in outdated:
            print(f"{path.relative_to(ROOT)} is out of date: run Sources/Assets/generate.py")
        return 1 if outdated else 0
    for path in outdated:
        path.write_text(files.texts[path], encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


sys.exit(main())
