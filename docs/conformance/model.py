"""The contract's rules as a program: what a session becomes by a command.

This is a reference to read and to compare with. It follows contract.md, in the order of
its chapters, and prefers short sentences to speed. A session is made of plain Python values, the same
that the API shows as JSON:

    session = Session(App(document))
    status, answer = session.command("navigate", {"route": "product", "params": {"id": 7}})

A refusal is an answer with `type`, as a problem on the wire. Besides the rules there are functions for
values alone, which `vectors/` has examples for: `equal`, `merge_patch`, `Schema`, `Pattern`, `steps`.
`Schema` knows the keywords of the contract but for `unevaluatedProperties`.

What it leaves out: HTTP (header fields and keys), streams, tokens, times, listing and history; storing and
replacing apps, since it takes every app as valid; templates and copies; what PUT says about states that are
no sessions; limits other than those of paths, sheets and batches. Its ids are those of a server, since a session
shows the number of the next one, and a command takes them in the order of its screens.

Where a command has several faults, the contract does not say which of them is reported, except that the
shape of the body comes before the rules. The model then reports the first in this order: the container,
the sheets over it, the route, its place, its params.
"""
import copy, fractions, json, re, urllib.parse

PATH_MAX, SHEETS_MAX, BATCH_MAX, NAME_MAX = 256, 16, 100, 255
TITLE_MAX, MESSAGE_MAX, BUTTON_MAX = 256, 4096, 64
DIALOGS = ("alert", "confirmationDialog")
STYLES = ("sheet", "fullScreenCover", "popover", "inspector", *DIALOGS)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,63}\Z")
ENTRY_ID = re.compile(r"e[0-9]+\Z")


class Refused(Exception):
    """A command that the contract refuses."""

    def __init__(self, status, kind, **members):
        super().__init__(kind)
        self.status, self.kind, self.members = status, kind, members

    @property
    def problem(self):
        return {"type": f"/problems/{self.kind}", "status": self.status, **self.members}


# --- Values -------------------------------------------------------------------------------------

def is_number(value): return isinstance(value, (int, float)) and not isinstance(value, bool)


def equal(one, other):
    """Equality of JSON values: 1 is 1.0 but not true; the order of keys does not count."""
    if is_number(one) and is_number(other): return one == other
    if type(one) is not type(other): return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def merge_patch(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict): return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None: merged.pop(key, None)
        else: merged[key] = merge_patch(merged.get(key), value)
    return merged


# --- Params and schemas -------------------------------------------------------------------------

def type_of(value):
    if value is None: return "null"
    if isinstance(value, bool): return "boolean"
    if isinstance(value, int): return "integer"
    if isinstance(value, float): return "integer" if value.is_integer() else "number"
    return {str: "string", list: "array", dict: "object"}[type(value)]


def exact(number):
    """A number as it is written in JSON: 4.35 is a multiple of 0.01, which it is not in binary."""
    return fractions.Fraction(str(number))


class Schema:
    """A JSON Schema of the keywords that the contract lists."""

    def __init__(self, document, definitions=None):
        own = document.get("$defs", {}) if isinstance(document, dict) else {}
        self.document, self.definitions = document, {**(definitions or {}), **own}

    def errors(self, value, at=""):
        """The JSON pointers of everything that does not fit."""
        return sorted(set(self.check(self.document, value, at)))

    def fits(self, value): return not self.errors(value)

    def resolved(self, schema):
        """The schema behind a reference that is all it says about type and properties."""
        while isinstance(schema, dict) and "$ref" in schema:
            schema = self.definitions[schema["$ref"].rpartition("/")[2]]
        return schema

    def check(self, schema, value, at):
        if isinstance(schema, bool):
            if not schema: yield at
            return
        if "$ref" in schema: yield from self.check(self.definitions[schema["$ref"].rpartition("/")[2]], value, at)
        yield from self.check_any(schema, value, at)
        if isinstance(value, dict): yield from self.check_object(schema, value, at)
        if isinstance(value, list): yield from self.check_array(schema, value, at)
        if isinstance(value, str):
            if len(value) < schema.get("minLength", 0) or len(value) > schema.get("maxLength", len(value)): yield at
            if "pattern" in schema and not re.search(schema["pattern"], value): yield at
        if is_number(value):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value): yield at
            if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]: yield at
            if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]: yield at
            if "multipleOf" in schema and exact(value) % exact(schema["multipleOf"]) != 0: yield at

    def check_any(self, schema, value, at):
        """The keywords that are about values of every type."""
        if "type" in schema:
            kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            if type_of(value) not in kinds and not ("number" in kinds and is_number(value)): yield at
        if "enum" in schema and not any(equal(value, one) for one in schema["enum"]): yield at
        if "const" in schema and not equal(value, schema["const"]): yield at
        for part in schema.get("allOf", []): yield from self.check(part, value, at)
        if "anyOf" in schema and not any(self.holds(part, value) for part in schema["anyOf"]): yield at
        if "oneOf" in schema and sum(self.holds(part, value) for part in schema["oneOf"]) != 1: yield at
        if "not" in schema and self.holds(schema["not"], value): yield at
        if "if" in schema:
            branch = "then" if self.holds(schema["if"], value) else "else"
            yield from self.check(schema.get(branch, True), value, at)

    def check_object(self, schema, value, at):
        for key in schema.get("required", []):
            if key not in value: yield pointer(at, key)
        for key, others in schema.get("dependentRequired", {}).items():
            if key in value: yield from (pointer(at, other) for other in others if other not in value)
        if len(value) < schema.get("minProperties", 0) or len(value) > schema.get("maxProperties", len(value)): yield at
        for key, part in value.items():
            if "propertyNames" in schema and not self.holds(schema["propertyNames"], key): yield pointer(at, key)
            known = False
            if key in schema.get("properties", {}):
                known = True
                yield from self.check(schema["properties"][key], part, pointer(at, key))
            for pattern, inner in schema.get("patternProperties", {}).items():
                if re.search(pattern, key):
                    known = True
                    yield from self.check(inner, part, pointer(at, key))
            if not known: yield from self.check(schema.get("additionalProperties", True), part, pointer(at, key))

    def check_array(self, schema, value, at):
        if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)): yield at
        if schema.get("uniqueItems"):
            for index, item in enumerate(value):
                if any(equal(item, earlier) for earlier in value[:index]): yield pointer(at, str(index))
        if "contains" in schema:
            count = sum(self.holds(schema["contains"], item) for item in value)
            if count < schema.get("minContains", 1) or count > schema.get("maxContains", count): yield at
        first = schema.get("prefixItems", [])
        for index, item in enumerate(value):
            inner = first[index] if index < len(first) else schema.get("items", True)
            yield from self.check(inner, item, pointer(at, str(index)))

    def holds(self, schema, value): return not any(True for _ in self.check(schema, value, ""))

    def property(self, name):
        """The schema of a property of the params, for what a link captures."""
        schema = self.resolved(self.document)
        return self.resolved(schema.get("properties", {}).get(name, {})) if isinstance(schema, dict) else {}

    def with_defaults(self, params):
        """The params with the defaults of absent properties."""
        schema = self.resolved(self.document)
        filled = dict(params)
        for name, inner in (schema.get("properties", {}) if isinstance(schema, dict) else {}).items():
            inner = inner if isinstance(inner, dict) and "default" in inner else self.resolved(inner)
            if name not in filled and isinstance(inner, dict) and "default" in inner: filled[name] = inner["default"]
        return filled

    def convert(self, text, schema):
        """A captured text as the type that a schema asks for; None if it cannot be that."""
        kinds = schema.get("type", "string") if isinstance(schema, dict) else "string"
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "string" in kinds: return text
        is_number = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", text) and text != "-0"
        if is_number and "." not in text and {"integer", "number"} & {*kinds} and -2**63 <= int(text) < 2**63: return int(text)
        if is_number and "." in text and "number" in kinds and abs(float(text)) != float("inf"): return float(text)
        if "boolean" in kinds and text in ("true", "false"): return text == "true"
        return None if "null" in kinds and text == "null" else ...


def pointer(at, key): return f"{at}/{key.replace('~', '~0').replace('/', '~1')}"


# --- Texts with values of params ----------------------------------------------------------------

VALUE = re.compile(r"\{([A-Za-z0-9_~-]+(?:\.[A-Za-z0-9_~-]+)*)\}")


def at_path(params, path):
    """The value at names of members, or digits in arrays, joined by dots; `...` if there is none."""
    value = params
    for part in path.split("."):
        if isinstance(value, dict) and part in value: value = value[part]
        elif isinstance(value, list) and re.fullmatch("0|[1-9][0-9]*", part) and int(part) < len(value): value = value[int(part)]
        else: return ...
    return value


def with_values(text, params, missing, most):
    """A text with values in place of each {path}; None if one is missing and nothing stands for it."""
    values = {path: at_path(params, path) for path in VALUE.findall(text)}
    shown = {path: value if isinstance(value, str) else json.dumps(value) if isinstance(value, (bool, int, float)) else missing
             for path, value in values.items()}
    if None in shown.values(): return None
    filled = VALUE.sub(lambda found: shown[found[1]], text).encode()
    return filled[:most].decode(errors="ignore")


# --- Links --------------------------------------------------------------------------------------

def percent_decoded(text):
    """The decoded text; None if the encoding is bad or the bytes are not UTF-8."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text): return None
    try: return urllib.parse.unquote(text, errors="strict")
    except UnicodeDecodeError: return None


def split_url(url):
    """Scheme with host (both in small letters), path with query, and the fragment (None without one) with its query."""
    main, _, fragment = url.partition("#")
    place, _, query = main.partition("?")
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):(//([^/]*)|(?=/)|)(.*)\Z", place, re.S)
    if found:
        path = found[4]
        head = f"{found[1]}:".lower() + ("//" + (found[3] or "").lower() if found[2] or path.startswith("/") else "")
    elif place.startswith("/"): head, path = "", place
    else: return None
    rooted = not head.endswith(":")
    path_of_fragment, _, query_of_fragment = fragment.partition("?")
    return (head, (pieces_of(path[1:] if rooted else path), items_of(query)),
            (pieces_of(path_of_fragment), items_of(query_of_fragment)) if fragment else None)


def pieces_of(path):
    """The segments of a path without its first slash; one at the end does not count."""
    pieces = path.split("/")
    return pieces[:-1] if pieces[-1] == "" else pieces


def items_of(query):
    return [(name, value) for name, _, value in (item.partition("=") for item in query.split("&") if item)]


class Pattern:
    """The form of the URLs of a link. `integers` are the captures of params that take only integers, `needed` those of
    required params and of the path of a redirect."""

    def __init__(self, text, case_sensitive=True, integers=(), needed=()):
        self.text, self.case_sensitive, self.integers, self.needed = text, case_sensitive, integers, needed
        host = re.match(r"[^/?#]*://[^/?#]*\{([^}]*)\}", text)
        self.host_name = host and host[1]
        self.head, self.main, self.fragment = split_url(text)

    @property
    def rank(self):
        """The smaller one wins."""
        items = self.main[1] + (self.fragment[1] if self.fragment else [])
        fixed = sum(not value.startswith("{") for _, value in items)
        needed = sum(value.strip("{}") in self.needed for _, value in items)
        fragment = [0] + self.path_rank(self.fragment[0]) if self.fragment else [1]
        return [[1 if self.host_name else 0], self.path_rank(self.main[0]), fragment, [-fixed, -needed]]

    def path_rank(self, segments):
        ranks = [self.segment_rank(segment) for segment in segments]
        if 3 not in ranks: return ranks
        rest = ranks.index(3)
        bare = re.fullmatch(r"\{[^}]*\}", segments[rest]) is not None
        return ranks[:rest + 1] + [rest + 1 - len(ranks)] + ranks[rest + 1:] + [1 if bare else 0]

    @staticmethod
    def segment_rank(segment):
        if "{" not in segment: return 0
        if "*}" in segment: return 3
        return 2 if re.fullmatch(r"\{[^}]*\}", segment) else 1

    def captures(self, url):
        """The captures of a URL; None if it does not match. A capture of the query is the list of its values."""
        parts = split_url(url)
        if parts is None: return None
        head, main, fragment = parts
        found = self.of_host(head)
        if found is None or any(percent_decoded(text.replace("+", " ")) is None for item in main[1] for text in item): return None
        for own, given in ((self.main, main), (self.fragment, fragment)):
            if own is None: continue
            more = given and self.of_part(own, given)
            if more is None: return None
            found |= more
        return found

    def of_host(self, head):
        if not self.host_name: return {} if head == self.head else None
        begin, _, end = self.head.partition("{" + self.host_name.lower() + "}")
        found = re.fullmatch(re.escape(begin) + "([a-z0-9_-]{1,63})" + re.escape(end), head)
        return found and {self.host_name: found[1]}

    def of_part(self, own, given):
        segments = [percent_decoded(segment) for segment in given[0]]
        if None in segments: return None
        found = re.fullmatch(self.path_expression(own[0]), "".join(segment.replace("/", "\0") + "/" for segment in segments), self.flags)
        if found is None: return None
        captures = {self.name_of(key): value.replace("\0", "/") for key, value in found.groupdict().items()}
        for key, value in own[1]:
            key = self.folded(percent_decoded(key.replace("+", " ")))
            values = [percent_decoded(text.replace("+", " ")) for name, text in given[1]
                      if self.folded(percent_decoded(name.replace("+", " ")) or "") == key]
            if None in values: return None
            if value.startswith("{"):
                name = value.strip("{}?")
                if values: captures[name] = values
                elif name in self.needed: return None
            elif not values or self.folded(values[0]) != self.folded(percent_decoded(value.replace("+", " "))): return None
        return captures

    @property
    def flags(self): return re.S | (0 if self.case_sensitive else re.I | re.A)

    def folded(self, text):
        return text if self.case_sensitive else re.sub("[A-Z]", lambda found: found[0].lower(), text)

    def path_expression(self, segments):
        """A regular expression for the decoded segments with a slash behind each."""
        text = ""
        for segment in segments:
            parts = re.split(r"\{([^}]*)\}", segment)
            literals, names = [re.escape(percent_decoded(part)) for part in parts[::2]], parts[1::2]
            for index, literal in enumerate(literals):
                if index == 0:
                    text += literal
                    continue
                name = names[index - 1]
                group = f"(?P<{self.group_of(name.rstrip('*'))}>"
                if name.endswith("*"):
                    # Beside a literal there is a character.
                    before, after = "(?!/)" if literals[0] else "", "(?<!/)" if literal else ""
                    text += f"{group}{before}{'(?s:.+?)' if literals[0] or literal else '(?s:.*?)'}{after}){literal}"
                elif len(names) > 1 and name in self.integers: text += f"{group}-?[0-9]+){literal}"
                else: text += f"{group}[^/]+?){literal}"
            text += "/"
        return text

    @staticmethod
    def group_of(name): return "n" + name.encode().hex()

    @staticmethod
    def name_of(group): return bytes.fromhex(group[1:]).decode()


def first_of(capture): return capture[0] if isinstance(capture, list) else capture


def filled_in(template, captures):
    """A template's text with captures in place of {name}; None where one of them is absent."""
    missing = [name for name in re.findall(r"\{([^}]*)\}", template) if name not in captures]
    if missing: return None
    return re.sub(r"\{([^}]*)\}", lambda found: first_of(captures[found[1]]), template)


# --- Apps ---------------------------------------------------------------------------------------

class App:
    """The declared graph of a valid app."""

    def __init__(self, document):
        self.document = document
        self.routes = document.get("routes", {})
        self.tabs = {tab["id"]: tab for tab in document["tabs"]}
        self.facts = document.get("facts", {})
        self.guards = document.get("guards", {})
        self.tab_back = document.get("tabBack", "none")
        links = [(self.pattern(link), link) for link in document.get("links", [])]
        self.links = sorted(links, key=lambda link: link[0].rank)

    def pattern(self, link):
        """The pattern of a link, with what its params need and take."""
        needed = set(re.findall(r"\{([^}]*)\}", re.sub(r"\?[^#]*", "", link.get("redirect", ""))))
        integers = set()
        sheet = link.get("present")
        for item in link.get("path", []) + ([sheet] + sheet.get("path", []) if sheet else []):
            if isinstance(item, str): continue
            schema = self.schema(self.routes[item["route"]].get("params", {}))
            document = schema.resolved(schema.document)
            for name, template in item.get("params", {}).items():
                if not isinstance(template, str): continue
                names = re.findall(r"\{([^}]*)\}", template)
                wanted = schema.property(name)
                if isinstance(document, dict) and name in document.get("required", []) and name not in schema.with_defaults({}):
                    needed.update(names)
                if isinstance(wanted, dict) and wanted.get("type") == "integer": integers.update(names)
        case_sensitive = link.get("caseSensitive", self.document.get("caseSensitive", True))
        return Pattern(link["pattern"], case_sensitive, integers, needed)

    def schema(self, document): return Schema(document, self.document.get("$defs", {}))

    def listed(self, names):
        """The routes of a list in which @name stands for a group."""
        for name in names:
            if name.startswith("@"): yield from self.listed(self.document["groups"][name[1:]])
            else: yield name

    def tab_routes(self, tab): return set(self.listed(self.tabs[tab].get("routes", [])))

    def root(self, tab):
        """The root of a tab as it is declared."""
        root = self.tabs[tab].get("root", tab)
        if isinstance(root, str): return {"id": tab, "route": root, "params": {}}
        params = root.get("params")
        schema = self.params_schema(root["route"])
        return {"id": tab, "route": root["route"], "params": {} if params is None else schema.with_defaults(params)}

    def params_schema(self, route):
        return self.schema(self.routes.get(route, {}).get("params", {"additionalProperties": False}))

    def presentations(self, route):
        """The ways in which a route may appear, in their order."""
        declared = self.routes[route].get("presentation", "push")
        if declared == "any": return ["push", "sheet", "fullScreenCover"]
        return declared if isinstance(declared, list) else [declared]

    def default_style(self, route):
        return next((style for style in self.presentations(route) if style != "push"), "sheet")

    @property
    def shows_titles(self):
        return any("backTitle" in route or VALUE.search(route.get("title", "")) and self.presentations(name)[0] not in DIALOGS
                   for name, route in self.routes.items())

    def title(self, screen, member="title"):
        """The title of a screen, or of a root, which has the id of its tab; for the button back the `backTitle`, if there is one."""
        declared = self.routes.get(screen["route"])
        if declared is None: return self.tabs.get(screen["id"], {}).get("title", screen["route"])
        if member not in declared: return screen["route"] if member == "title" else self.title(screen)
        filled = with_values(declared[member], screen["params"], None, TITLE_MAX)
        return screen["route"] if filled is None else filled

    def tab_guards(self, tab): return listed_names(self.tabs[tab].get("guard")) or self.route_guards(self.root(tab)["route"])
    def route_guards(self, route): return listed_names(self.routes.get(route, {}).get("guard"))
    def holds(self, guard, facts): return not self.unmet(guard, facts)

    def unmet(self, guard, facts):
        """The facts because of which a guard fails."""
        wanted = {name: value if isinstance(value, list) else [value] for name, value in self.guards[guard]["when"].items()}
        return {name: {"is": facts[name], "needs": values} for name, values in wanted.items() if not any(equal(facts[name], value) for value in values)}

    def resolve(self, url, redirects=0):
        """Where a URL leads: the declared target, and the params that it gives; None for nowhere."""
        for pattern, link in self.links:
            captures = pattern.captures(url)
            if captures is None: continue
            if "redirect" in link:
                goal = self.redirected(link["redirect"], captures)
                if goal is None: continue
                return None if redirects == 8 else self.resolve(goal, redirects + 1)
            goal = self.goal(link, captures)
            if goal is not None: return goal
        return None

    def redirected(self, target, captures):
        main, hash_sign, fragment = target.partition("#")
        parts = [self.redirected_part(part, captures) for part in ([main, fragment] if hash_sign else [main])]
        return None if None in parts else "#".join(parts)

    def redirected_part(self, target, captures):
        place, _, query = target.partition("?")
        if any(name not in captures for name in re.findall(r"\{([^}]*)\}", place)): return None

        def written(found):
            name, value = found[1], first_of(captures[found[1]])
            return urllib.parse.quote(value, safe=("/" if self.is_rest(name) else "") + "-._~")

        items = []
        for item in filter(None, query.split("&")):
            names = re.findall(r"\{([^}]*)\}", item)
            if any(name not in captures for name in names): continue
            whole = re.fullmatch(r"([^={]*=)\{([^}]*)\}", item)
            if whole and isinstance(captures[whole[2]], list):
                items += [whole[1] + urllib.parse.quote(value, safe="-._~") for value in captures[whole[2]]]
            else: items.append(re.sub(r"\{([^}]*)\}", written, item))
        return re.sub(r"\{([^}]*)\}", written, place) + ("?" + "&".join(items) if items else "")

    def is_rest(self, name):
        return any("{" + name + "*}" in pattern.text for pattern, _ in self.links)

    def goal(self, link, captures):
        """A link's target with the captures in its params; None if one of them does not fit."""
        tab, path = link.get("tab") or next(iter(self.tabs)), link.get("path", [] if "params" in link else None)
        screens = None if path is None else [self.screen(item, captures) for item in path]
        sheet = link.get("present") and self.screen(link["present"], captures)
        root = self.screen({"route": self.root(tab)["route"], "params": link["params"]}, captures) if "params" in link else {}
        if (screens and None in screens) or ("present" in link and sheet is None) or root is None: return None
        return {"tab": tab, "path": screens, "sheet": sheet, "params": root.get("params")}

    def screen(self, item, captures):
        item = {"route": item} if isinstance(item, str) else item
        schema, params = self.params_schema(item["route"]), {}
        for name, template in item.get("params", {}).items():
            value = self.value(template, captures, schema, schema.property(name))
            if value is ...: return None
            if value is not self: params[name] = value
        params = schema.with_defaults(params)
        if schema.errors(params): return None
        inner = [self.screen(part, captures) for part in item.get("path", [])]
        return None if None in inner else {**item, "params": params, "path": inner}

    def value(self, template, captures, schema, wanted):
        """A template's value; `...` if it does not fit, the app itself if it is left out."""
        if isinstance(template, dict):
            filled = {}
            for key, part in template.items():
                inner = wanted.get("properties", {}).get(key, {}) if isinstance(wanted, dict) else {}
                part = self.value(part, captures, schema, schema.resolved(inner))
                if part is ...: return ...
                if part is not self: filled[key] = part
            return filled
        if not isinstance(template, str) or "{" not in template: return template
        text = filled_in(template, captures)
        if text is None: return self
        if not re.fullmatch(r"\{[^}]*\}", template): return text
        values = captures[template[1:-1]]
        if isinstance(values, list) and isinstance(wanted, dict) and wanted.get("type") == "array":
            items = [schema.convert(value, schema.resolved(wanted.get("items", {}))) for value in values]
            return ... if ... in items else items
        return schema.convert(text, wanted)


def listed_names(value): return value if isinstance(value, list) else [value] if value else []


# --- Bodies -------------------------------------------------------------------------------------

def a_name(value): return isinstance(value, str) and NAME.match(value) is not None
def a_flag(value): return isinstance(value, bool)
def a_text(value): return isinstance(value, str)
def an_object(value): return isinstance(value, dict)
def a_count(value): return isinstance(value, int) and not isinstance(value, bool) and value >= 1
def a_tag(value): return isinstance(value, str) and 1 <= len(value.encode()) <= 64
DETENT = re.compile(r"medium|large|fraction:(0\.[1-9][0-9]?|1(\.00?)?)|height:([1-9][0-9]{0,2}|[1-4][0-9]{3}|5000)")
def detents(value): return isinstance(value, list) and all(isinstance(one, str) and DETENT.fullmatch(one) for one in value)
def names(value): return isinstance(value, list) and all(map(a_name, value))
def anything(value): return True
def one_of(*words): return lambda value: value in words if isinstance(value, str) else False


def a_badge(value):
    if value is None: return True
    if isinstance(value, str): return 1 <= len(value.encode()) <= 32
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def a_text_of(least, most): return lambda value: isinstance(value, str) and least <= len(value.encode()) <= most


def buttons(value):
    members = {"id": a_name, "title": a_text_of(1, BUTTON_MAX), "role": one_of("cancel", "destructive")}
    if not isinstance(value, list) or not 1 <= len(value) <= 10: return False
    for button in value:
        if not isinstance(button, dict) or "id" not in button or "title" not in button: return False
        if not all(key in members and members[key](part) for key, part in button.items()): return False
    ids, roles = [button["id"] for button in value], [button.get("role") for button in value]
    return len(set(ids)) == len(ids) and roles.count("cancel") <= 1


def screens(with_ids):
    members = {"route": a_name, "params": an_object, "mark": a_name, **({"id": a_name, "locked": a_flag} if with_ids else {})}

    def holds(value):
        if not isinstance(value, list): return False
        return all(
            isinstance(item, dict) and "route" in item and all(key in members and members[key](part) for key, part in item.items())
            for item in value)
    return holds


def a_target(value):
    kinds = {"entry": a_name, "route": a_name, "mark": a_name}
    return isinstance(value, dict) and len(value) == 1 and all(key in kinds and kinds[key](part) for key, part in value.items())


SHEETS = {"sheets": one_of("keep", "dismiss", "reject", "force"), "force": a_flag}
SHAPES = {
    "navigate": {"route": a_name, "params": an_object, "in": a_name, "mark": a_name, "locked": a_flag, "select": a_flag,
                 "mode": one_of("push", "single", "popTo", "toFront", "replace", "reset"), **SHEETS},
    "back": {"count": a_count, "to": a_target, "inclusive": a_flag, "within": one_of("any", "path"), "force": a_flag},
    "root": {"scope": one_of("tab", "path", "all"), **SHEETS},
    "present": {"route": a_name, "params": an_object, "style": one_of(*STYLES), "tag": a_tag, "title": a_text_of(1, TITLE_MAX),
                "message": a_text_of(0, MESSAGE_MAX), "buttons": buttons, "anchor": a_name, "detents": detents, "dismissible": a_flag,
                "path": screens(False), "mark": a_name, "force": a_flag},
    "dismiss": {"sheet": a_name, "tag": a_tag, "all": a_flag, "result": anything, "button": a_text, "force": a_flag},
    "select": {"tab": a_name, "reselect": one_of("popToRoot", "none"), "params": an_object, "mark": a_name, "root": a_flag, **SHEETS},
    "open": {"url": a_text, **SHEETS},
    "setPath": {"in": a_name, "path": screens(True), **SHEETS},
    "setParams": {"entry": a_name, "params": an_object, "locked": a_flag, "mode": one_of("merge", "replace")},
    "setBadge": {"tab": a_name, "badge": a_badge},
    "setFacts": {"facts": an_object},
    "setTabs": {"order": names, "hidden": names},
    "batch": {"commands": lambda value: isinstance(value, list) and len(value) > 0},
    "undo": {"count": a_count},
    "redo": {"count": a_count},
}
REQUIRED = {"navigate": ["route"], "select": ["tab"], "open": ["url"], "setPath": ["in", "path"], "setBadge": ["tab", "badge"], "setFacts": ["facts"], "batch": ["commands"]}


def has_long_name(value):
    """Whether a member, however deep, has a name of more bytes than a body may have."""
    if isinstance(value, list): return any(map(has_long_name, value))
    if not isinstance(value, dict): return False
    return any(len(key.encode()) > NAME_MAX or has_long_name(part) for key, part in value.items())


def check_shape(name, body, inside_batch=False):
    """Refuses a body of the wrong shape, before any rule is asked."""
    shape = SHAPES[name]
    wrong = not isinstance(body, dict) or any(key not in shape or not shape[key](part) for key, part in body.items())
    wrong = wrong or any(key not in body for key in REQUIRED.get(name, []))
    if not wrong and name == "back":
        wrong = ("count" in body and "to" in body) or ("inclusive" in body and "to" not in body)
    if not wrong and name == "dismiss":
        wrong = sum([("sheet" in body), ("tag" in body), body.get("all", False)]) > 1 or ("button" in body and body.get("all", False))
    if not wrong and name == "present": wrong = "route" not in body and body.get("style") not in DIALOGS
    if not wrong and name == "setParams": wrong = "params" not in body and "locked" not in body
    if wrong: raise Refused(422, "invalid-request")
    if name == "batch":
        if len(body["commands"]) > BATCH_MAX: raise Refused(422, "limit-exceeded")
        for index, part in enumerate(body["commands"]):
            inner = part.get("command") if isinstance(part, dict) else None
            if inner not in SHAPES or inner in ("batch", "undo", "redo"): raise Refused(422, "invalid-request", index=index)
            check_shape(inner, {key: value for key, value in part.items() if key != "command"})


# --- Sessions -----------------------------------------------------------------------------------

class Session:
    """A session and what commands do with it.

    `place` is what undo brings back: the tabs with their paths and badges, the selected tab, the sheets
    and the tab history. Everything else is beside it.
    """

    def __init__(self, app=None, tabs=("main",), selected=None, facts=None, tab_back="none"):
        self.app = app
        if app: tabs, tab_back = list(app.tabs), app.tab_back
        self.tab_back, self.declared = tab_back, list(tabs)
        self.facts = {name: copy.deepcopy(fact["default"]) for name, fact in app.facts.items()} if app else {}
        self.facts.update(facts or {})
        self.place = {"tabs": [{"id": tab, "path": []} for tab in tabs], "selected": tabs[0], "sheets": [], "left": []}
        self.place["selected"] = selected or self.first_tab()
        self.labels, self.pending, self.undone, self.redone = {}, None, [], []
        self.revision, self.last = 1, 0
        # Where `give_up` looks from, and the sheet that went because its pending command was resumed.
        self.since, self.is_left, self.resumed = self.place, False, None
        # The sheet that the command under way has pressed, and the one that it removes although that is locked.
        self.pressed, self.replaced = {}, None

    # Places.

    @property
    def sheets(self): return self.place["sheets"]

    def tab(self, name): return next((tab for tab in self.place["tabs"] if tab["id"] == name), None)

    @property
    def selected(self): return self.tab(self.place["selected"])

    @property
    def active(self): return self.sheets[-1] if self.sheets else self.selected

    def container(self, name):
        """A tab or a sheet by its id, or the active one."""
        if name == "active": return self.active
        found = self.tab(name) or next((sheet for sheet in self.sheets if sheet["id"] == name), None)
        if found is None: raise Refused(404, "sheet-not-found" if ENTRY_ID.match(name) else "tab-not-found")
        return found

    def is_sheet(self, container): return any(container is sheet for sheet in self.sheets)

    def over(self, container):
        """The sheets over a tab or over a sheet."""
        for index, sheet in enumerate(self.sheets):
            if sheet is container: return self.sheets[index + 1:]
        return list(self.sheets)

    def entries(self):
        """Every entry and sheet."""
        for tab in self.place["tabs"]: yield from tab["path"]
        for sheet in self.sheets:
            yield sheet
            yield from sheet["path"]

    def first_tab(self):
        """The first tab that is neither hidden nor under a guard that fails, else the first without a guard."""
        for tab in self.place["tabs"]:
            if not tab.get("hidden") and not self.is_shut(tab["id"]): return tab["id"]
        return next(tab["id"] for tab in self.place["tabs"] if not (self.app and self.app.tab_guards(tab["id"])))

    def failed(self, guards):
        """The first of some guards that does not hold."""
        return next((guard for guard in guards if not self.app.holds(guard, self.facts)), None)

    def is_shut(self, tab): return bool(self.app and self.failed(self.app.tab_guards(tab)))

    # Screens of the session.

    def shown(self):
        top = self.active
        entry = top["path"][-1] if top["path"] else self.root_of(top)
        covers = [sheet for sheet in self.sheets if sheet["style"] in ("sheet", "fullScreenCover")]
        # The other styles leave the tab bar as it is on the tab.
        hides = covers or (self.app and self.app.routes.get(self.visible_beneath(0)["route"], {}).get("hidesTabBar", False))
        visible = {"container": top["id"], "entry": entry["id"], "route": entry["route"], "params": entry["params"], "tabBarHidden": bool(hides)}
        value = {"revision": self.revision, "selectedTab": self.place["selected"], "tabs": self.place["tabs"], "sheets": self.sheets,
                 "visible": visible, "canGoBack": self.can_go_back(), "canUndo": bool(self.undone), "canRedo": bool(self.redone), "nextEntry": self.last + 1}
        if self.labels: value["labels"] = self.labels
        if self.tab_back != "none" and not self.app: value["tabBack"] = self.tab_back
        if self.app and self.app.facts: value["facts"] = self.facts
        if self.pending: value["pending"] = self.pending
        if self.place["left"]: value["tabHistory"] = self.place["left"]
        if self.app and [tab["id"] for tab in self.place["tabs"]] != self.declared: value["ownOrder"] = True
        value = copy.deepcopy(value)
        if self.app and self.app.shows_titles: self.add_titles(value)
        return value

    def add_titles(self, value):
        """Gives entries, sheets, shown roots and what is visible their titles."""
        for container in [*value["tabs"], *value["sheets"]]:
            shown = [container] if "style" in container and "buttons" not in container else [container["root"]] if "root" in container else []
            for screen in [*shown, *container["path"]]: screen["title"] = self.app.title(screen)
        line = [self.root_of(self.active), *self.active["path"]]
        value["visible"]["title"] = self.dialog["title"] if self.dialog else self.app.title(line[-1])
        if len(line) > 1: value["visible"]["backTitle"] = self.app.title(line[-2], "backTitle")

    def declared_root(self, tab): return self.app.root(tab) if self.app else {"id": tab, "route": tab, "params": {}}

    def root_of(self, container):
        """The lowest screen of a container: the sheet itself, or the root of the tab."""
        return container if "style" in container else container.get("root") or self.declared_root(container["id"])

    def set_root(self, tab, params=None, mark=None):
        """Gives the root of a tab params and a mark; it is shown unless it is as declared."""
        root = dict(self.root_of(tab))
        self.revise(root, root["params"] if params is None else params, mark)
        tab.pop("root", None)
        if "mark" in root or not equal(root["params"], self.declared_root(tab["id"])["params"]): tab["root"] = root

    def visible_beneath(self, number):
        """The visible screen beneath the sheet of that number."""
        below = self.sheets[number - 1] if number else self.selected
        return below["path"][-1] if below["path"] else self.root_of(below)

    @property
    def visible(self): return self.visible_beneath(len(self.sheets))

    @property
    def dialog(self):
        """The dialog on top, if there is one."""
        return self.sheets[-1] if self.sheets and self.sheets[-1]["style"] in DIALOGS else None

    def can_go_back(self):
        top = self.active
        if top["path"]: return not top["path"][-1].get("locked", False)
        return top.get("dismissible", True) if self.is_sheet(top) else self.tab_before() is not None

    def tab_before(self):
        """The tab that a step back on the root of the selected tab selects."""
        if self.tab_back == "first":
            first = self.first_tab()
            return None if first == self.place["selected"] else first
        for name in reversed(self.place["left"]):
            if not self.tab(name).get("hidden") and not self.is_shut(name): return name
        return None

    # Parts of commands.

    def new_id(self):
        self.last += 1
        return f"e{self.last}"

    def choose(self, name):
        """Selects a tab, and shows it if it is hidden."""
        left = self.place["left"]
        if name != self.place["selected"] and self.tab_back == "history":
            self.place["left"] = [tab for tab in left if tab not in (name, self.place["selected"])] + [self.place["selected"]]
        self.place["selected"] = name
        self.tab(name).pop("hidden", None)

    def clear_over(self, container, sheets):
        """The effect of `sheets` on the sheets over a target."""
        above = self.over(container)
        if above and sheets == "reject": raise Refused(409, "sheet-open")
        if above and sheets in ("dismiss", "force"): self.place["sheets"] = self.sheets[:len(self.sheets) - len(above)]

    def refuse_dialog(self, container=None):
        """Refuses to put something on a dialog; without a container, a sheet."""
        if self.dialog and container in (None, self.dialog):
            raise Refused(409, "dialog-open", sheet=self.dialog["id"], buttons=[button["id"] for button in self.dialog["buttons"]])

    def may_push(self, route, below, tab, container=None, sheet_route=None):
        """Whether a route may be pushed on the route of the entry below, or on the root if that is None.

        What that route does not say, the container says: a tab, or the route of a sheet, or what is selected under the sheet.
        """
        lists = [self.app.routes.get(on, {}).get("routes") for on in (below, sheet_route or (container or {}).get("route"))]
        own = next((names for names in lists if names is not None), self.app.tabs[tab["id"]].get("routes", []))
        return "push" in self.app.presentations(route) and route in set(self.app.listed(own))

    def check_edge(self, route, below, container=None, sheet_route=None):
        if not self.app: return
        if route not in self.app.routes: raise Refused(422, "unknown-route")
        is_tab = container is not None and "style" not in container
        if not self.may_push(route, below, container if is_tab else self.selected, container, sheet_route): raise Refused(422, "route-not-allowed-here")

    def checked_path(self, items, container=None, sheet_route=None):
        """The params of each screen of a path that may follow the one before."""
        checked = []
        for index, item in enumerate(items):
            self.check_edge(item["route"], items[index - 1]["route"] if index else None, container, sheet_route)
            checked.append(self.checked_params(item["route"], item.get("params", {})))
        return checked

    def style_for(self, route, style):
        """The style of a sheet, if the app allows it."""
        if not self.app: return style or "sheet"
        if route not in self.app.routes:
            if style in DIALOGS and route == style: return style
            raise Refused(422, "unknown-route")
        style = style or self.app.default_style(route)
        if style not in self.app.presentations(route): raise Refused(422, "route-not-allowed-here")
        return style

    def checked_params(self, route, params):
        """The params with their defaults, if they fit. A route that is not declared takes none."""
        if not self.app: return params
        schema = self.app.params_schema(route)
        params = schema.with_defaults(params)
        if schema.errors(params): raise Refused(422, "invalid-params")
        return params

    def check_on(self, route):
        """Whether a sheet of the route may be presented over what is visible."""
        if not self.is_on(route, self.visible["route"]): raise Refused(422, "route-not-allowed-here")

    def is_on(self, route, presenter):
        on = self.app and self.app.routes.get(route, {}).get("on")
        return on is None or not self.app or presenter in set(self.app.listed(on))

    def entry(self, route, params, mark=None, locked=None):
        return {"id": self.new_id(), "route": route, "params": params, **({"mark": mark} if mark else {}), **({"locked": True} if locked else {})}

    def same(self, screen, route, params, by_route=False):
        """Whether a screen is the one that is asked for."""
        if screen["route"] != route: return False
        identity = self.app and self.app.routes.get(route, {}).get("identity")
        if identity is None or not self.app: return by_route or equal(screen["params"], params)
        pairs = [(at_path(screen["params"], path), at_path(params, path)) for path in identity]
        return all((one is ...) == (other is ...) and (one is ... or equal(one, other)) for one, other in pairs)

    def check_depth(self, path):
        if len(path) > PATH_MAX: raise Refused(422, "limit-exceeded")

    # Commands. Each changes `place` and returns what its answer has beside the common members.

    def navigate(self, body):
        target = self.container(body.get("in", "active"))
        self.clear_over(target, body.get("sheets"))
        self.refuse_dialog(target)
        route, mark, locked = body["route"], body.get("mark"), body.get("locked")
        if self.app and route not in self.app.routes: raise Refused(422, "unknown-route")
        mode = body.get("mode") or (self.app and self.app.routes[route].get("mode")) or "push"
        path, root = target["path"], self.root_of(target)
        looked_at = {"single": [path[-1] if path else root], "popTo": [root, *path], "toFront": [root, *path]}.get(mode, [])
        if not any(screen["route"] == route for screen in looked_at):
            below = {"replace": path[:-1], "reset": []}.get(mode, path)
            self.check_edge(route, below[-1]["route"] if below else None, target)
        params = self.checked_params(route, body.get("params", {}))
        if not self.is_sheet(target) and body.get("select", True): self.choose(target["id"])
        # The nearest screen that is the one asked for; a root that would have to move is none.
        found = next((screen for screen in reversed(looked_at) if not (mode == "toFront" and screen is root and path)
                      and self.same(screen, route, params, by_route=mode != "toFront")), None)
        if found is root:
            path.clear()
            self.revise_root(target, params, mark, locked)
        elif found and mode == "toFront":
            index = next(index for index, entry in enumerate(path) if entry is found)
            moved = path[:index] + path[index + 1:] + [found]
            if found is not path[-1]:
                for number in range(index, len(moved)):
                    self.check_edge(moved[number]["route"], moved[number - 1]["route"] if number else None, target)
            path[:] = moved
            self.revise(found, params, mark, locked)
        elif found:
            while path[-1] is not found: path.pop()
            self.revise(found, params, mark, locked)
        else:
            if mode == "replace" and not path: raise Refused(409, "at-root")
            if mode == "replace": path.pop()
            if mode == "reset": path.clear()
            if looked_at: self.check_edge(route, path[-1]["route"] if path else None, target)
            path.append(self.entry(route, params, mark, locked))
            self.check_depth(path)
        return {"reason": "same-entry"}

    def revise_root(self, container, params, mark, locked):
        if locked is not None: raise Refused(422, "invalid-request")
        if self.is_sheet(container): self.revise(container, params, mark)
        else: self.set_root(container, params, mark)

    def revise(self, entry, params, mark, locked=None):
        if not equal(entry["params"], params): entry["params"] = params
        if mark: entry["mark"] = mark
        if locked: entry["locked"] = True
        elif locked is False: entry.pop("locked", None)

    def back(self, body):
        force, within = body.get("force", False), body.get("within", "any")
        if "to" in body: return self.back_to(body["to"], body.get("inclusive", False), within)
        reason, chosen = "at-root", None
        for _ in range(body.get("count", 1)):
            top = self.active
            if top["path"]:
                if top["path"][-1].get("locked") and not force:
                    reason = "entry-locked"
                    break
                top["path"].pop()
            elif within == "path": break
            elif self.is_sheet(top):
                if not top.get("dismissible", True) and not force:
                    reason = "sheet-locked"
                    break
                self.press(top, None)
                self.sheets.pop()
            else:
                chosen_now = self.tab_before()
                if chosen_now is None: break
                chosen = chosen_now
                left = self.place["left"]
                self.place["left"] = left[:left.index(chosen)] if chosen in left else left
                self.place["selected"] = chosen
                self.tab(chosen).pop("hidden", None)
        return {"popped": None, "reason": reason, **({"selected": chosen} if chosen else {})}

    def back_to(self, to, inclusive, within):
        container, index = self.target(to, within)
        if inclusive and index == -1 and not self.is_sheet(container): raise Refused(409, "at-root")
        if within == "path" and self.over(container): raise Refused(404, "entry-not-found")
        if inclusive and index == -1 and within == "path": raise Refused(409, "at-root")
        going = self.over(container) + ([container] if inclusive and index == -1 else [])
        del container["path"][index + (0 if inclusive and index >= 0 else 1):]
        if not self.is_sheet(container): self.choose(container["id"])
        self.place["sheets"] = [sheet for sheet in self.sheets if not any(sheet is one for one in going)]
        return {"popped": None, "reason": "already-there"}

    def target(self, to, within):
        """The container and the index in its path, -1 for its root."""
        if "entry" in to:
            for container in [*self.place["tabs"], *self.sheets]:
                if container["id"] == to["entry"]: return container, -1
                for index, entry in enumerate(container["path"]):
                    if entry["id"] == to["entry"]: return container, index
        elif "route" in to:
            found = self.last_where(self.active["path"], lambda entry: entry["route"] == to["route"])
            if found is not None: return self.active, found
            if self.root_of(self.active)["route"] == to["route"]: return self.active, -1
        else:
            containers = [*reversed(self.sheets), self.selected]
            for container in containers[:1] if within == "path" else containers:
                found = self.last_where(container["path"], lambda entry: entry.get("mark") == to["mark"])
                if found is not None: return container, found
                if self.root_of(container).get("mark") == to["mark"]: return container, -1
        raise Refused(404, "entry-not-found")

    def last_where(self, path, holds):
        return next((index for index in range(len(path) - 1, -1, -1) if holds(path[index])), None)

    def root(self, body):
        scope = body.get("scope", "tab")
        if scope == "path": self.active["path"].clear()
        else: self.clear_over(self.selected, body.get("sheets", "dismiss"))
        if scope == "tab": self.selected["path"].clear()
        if scope == "all":
            for tab in self.place["tabs"]:
                tab["path"].clear()
                tab.pop("root", None)
            self.choose(self.first_tab())
            self.place["left"] = []
        return {"reason": "at-root"}

    def present(self, body):
        route, tag = body.get("route") or body.get("style"), body.get("tag")
        style = self.style_for(route, body.get("style"))
        texts = {} if style not in DIALOGS else self.texts_of(route)
        if style in DIALOGS:
            for name in ("title", "message", "buttons"): texts.update({name: body[name]} if name in body else {})
            wrong = any(name in body for name in ("path", "detents", "dismissible")) or "title" not in texts
        else: wrong = any(name in body for name in ("title", "message", "buttons"))
        if wrong or ("anchor" in body and style != "popover"): raise Refused(422, "invalid-request")
        params = self.checked_params(route, body.get("params", {}))
        items = body.get("path", [])
        path = list(zip(items, self.checked_path(items, sheet_route=route)))
        sheet = {"id": None, "style": style, "route": route, "params": params, "path": [], **self.settled(texts, route, params)}
        up = next((index for index, one in enumerate(self.sheets) if tag and one.get("tag") == tag), None)
        if up is not None:
            old = self.sheets[up]
            if old["style"] == style and text_of(old) == text_of(sheet) and self.same(old, route, params):
                self.place["sheets"] = self.sheets[:up + 1]
                self.revise(old, params, body.get("mark"))
                return {"reason": "same-entry"}
            self.replaced, self.place["sheets"] = old["id"], self.sheets[:up]
        self.refuse_dialog()
        if len(self.sheets) == SHEETS_MAX: raise Refused(422, "limit-exceeded")
        self.check_depth(path)
        self.check_on(route)
        sheet.update(id=self.new_id(), presentedBy=self.visible["id"])
        for name, value in (("tag", tag), ("mark", body.get("mark")), ("detents", body.get("detents")), ("anchor", body.get("anchor"))):
            if value: sheet[name] = value
        if body.get("dismissible") is False: sheet["dismissible"] = False
        sheet["path"] = [self.entry(item["route"], given, item.get("mark")) for item, given in path]
        self.sheets.append(sheet)
        return {"reason": "same-entry"}

    def texts_of(self, route):
        """The declarations of the route of a dialog."""
        declared = self.app.routes.get(route, {}) if self.app else {}
        return {name: declared[name] for name in ("title", "message", "buttons") if name in declared}

    def settled(self, texts, route, params):
        """The texts and buttons of a dialog with the values of its params; none for another sheet."""
        if not texts: return {}
        title = with_values(texts["title"], params, None, TITLE_MAX)
        found = {"title": route if title is None else title}
        if "message" in texts: found["message"] = with_values(texts["message"], params, "", MESSAGE_MAX)
        declared = texts.get("buttons", [{"id": "ok", "title": "OK", "role": "cancel"}])
        found["buttons"] = [{**button, "title": with_values(button["title"], params, "", BUTTON_MAX)} for button in declared]
        if not any(button.get("role") == "cancel" for button in declared): found["dismissible"] = False
        return found

    def dismiss(self, body):
        reason, found = {"reason": "no-sheet"}, len(self.sheets) - 1
        if "sheet" in body or "tag" in body:
            key, value = ("id", body["sheet"]) if "sheet" in body else ("tag", body["tag"])
            found = next((index for index, sheet in enumerate(self.sheets) if sheet.get(key) == value), None)
            if found is None and self.resumed and self.resumed.get(key) == value: return reason
            if found is None: raise Refused(404, "sheet-not-found")
        elif body.get("all"): found = 0
        sheet = self.sheets[found] if 0 <= found < len(self.sheets) else None
        if sheet and sheet["style"] in DIALOGS and "result" in body: raise Refused(422, "invalid-request")
        self.press(sheet, body.get("button"))
        if sheet is None: return reason
        before = self.memory()
        self.place["sheets"] = self.sheets[:found]
        if not body.get("force"): self.refuse_unlocking(before)
        wanted = self.app and self.app.routes.get(sheet["route"], {}).get("result")
        if wanted is not None and "result" in body and not self.app.schema(wanted).fits(body["result"]):
            raise Refused(422, "invalid-params")
        if "result" in body: self.answer(sheet)
        return reason

    def press(self, sheet, name):
        """Presses a button of a dialog, or the one with the role `cancel`."""
        if sheet is None or sheet["style"] not in DIALOGS:
            if name is not None: raise Refused(422, "invalid-request")
            return
        held = [button for button in sheet["buttons"] if (button.get("role") == "cancel" if name is None else button["id"] == name)]
        if name is not None and not held: raise Refused(422, "invalid-request")
        if name is not None: self.replaced = sheet["id"]
        for button in held:
            self.pressed[sheet["id"]] = button["id"]
            if button.get("role") != "cancel": self.answer(sheet)

    def answer(self, sheet):
        """A pending command waits for its facts if the sheet that its guard has presented was answered."""
        if self.pending and self.pending.get("entry") == sheet["id"]:
            self.pending = {"guard": self.pending["guard"], "command": self.pending["command"], "answered": True}

    def refuse_unlocking(self, before, name=None, body={}):
        """Refuses to remove what is locked; of several screens it names the topmost."""
        if name in ("setBadge", "setTabs", "setParams") or body.get("force") or body.get("sheets") == "force": return
        there, place = {one["id"] for one in self.entries()}, before["place"]
        selected = next(tab for tab in place["tabs"] if tab["id"] == place["selected"])
        for container in [*reversed(place["sheets"]), selected, *place["tabs"]]:
            for entry in reversed(container["path"]):
                if entry.get("locked") and entry["id"] not in there: raise Refused(409, "entry-locked", entry=entry["id"])
            is_locked = "style" in container and not container.get("dismissible", True)
            if is_locked and container["id"] not in {*there, self.replaced}: raise Refused(409, "sheet-locked", sheet=container["id"])

    def select(self, body):
        tab = self.tab(body["tab"])
        if tab is None: raise Refused(404, "tab-not-found")
        self.clear_over(tab, body.get("sheets"))
        params = None if "params" not in body else self.checked_params(self.root_of(tab)["route"], body["params"])
        if body.get("root") or (tab is self.selected and body.get("reselect") != "none"): tab["path"].clear()
        self.choose(tab["id"])
        self.set_root(tab, params, body.get("mark"))
        return {"reason": "already-selected"}

    def open(self, body):
        goal = self.app and self.app.resolve(body["url"])
        if self.app and goal is None and "notFound" in self.app.document:
            goal = self.app.goal(self.app.document["notFound"], {"url": body["url"]})
        if not goal: raise Refused(404, "no-route-for-url")
        sheets = body.get("sheets", "dismiss")
        keeps = bool(goal["sheet"] and self.sheets and self.is_shown(self.sheets[0], goal["sheet"]))
        if sheets == "reject" and len(self.sheets) > keeps: raise Refused(409, "sheet-open")
        if sheets in ("dismiss", "force"): self.place["sheets"] = self.sheets[:keeps]
        tab = self.tab(goal["tab"])
        self.choose(tab["id"])
        if goal["path"] is not None:
            tab["path"] = self.merged_path(tab["path"], [(s["route"], s["params"], s.get("mark"), None, None) for s in goal["path"]])
        self.set_root(tab, goal["params"])
        self.settle_presenters(sheets == "keep")
        if goal["sheet"]: self.show_sheet(goal["sheet"])
        return {"reason": "already-there"}

    def style_of(self, sheet): return sheet.get("style") or self.app.default_style(sheet["route"])

    def is_shown(self, sheet, wanted):
        return sheet["style"] == self.style_of(wanted) and wanted.get("tag") in (None, sheet.get("tag")) and \
            self.same(sheet, wanted["route"], wanted["params"])

    def show_sheet(self, wanted):
        path = [(screen["route"], screen["params"], screen.get("mark"), None, None) for screen in wanted["path"]]
        if self.sheets and self.is_shown(self.sheets[-1], wanted):
            self.revise(self.sheets[-1], wanted["params"], wanted.get("mark"))
            self.sheets[-1]["path"] = self.merged_path(self.sheets[-1]["path"], path)
            return
        body = {key: value for key, value in wanted.items() if key in SHAPES["present"] and (key != "path" or value)}
        if "path" in body: body["path"] = [{key: value for key, value in screen.items() if key != "path"} for screen in wanted["path"]]
        self.present(body)

    def merged_path(self, path, wanted):
        """A path of (route, params, mark, lock, id), in which the beginning of the same screens, or a given id, keeps its entry."""
        merged, is_same = [], not any(identifier for *_, identifier in wanted)
        for index, (route, params, mark, locked, identifier) in enumerate(wanted):
            if identifier:
                entry = next(entry for entry in path if entry["id"] == identifier)
            else:
                old = path[index] if index < len(path) else None
                is_same = is_same and old is not None and self.same(old, route, params)
                entry = old if is_same else None
            if entry is None: entry = self.entry(route, params, mark, locked)
            else:
                entry = dict(entry)
                self.revise(entry, params, mark, locked)
            merged.append(entry)
        self.check_depth(merged)
        return merged

    def setPath(self, body):
        container = self.container(body["in"])
        self.clear_over(container, body.get("sheets"))
        self.refuse_dialog(container)
        self.check_ids(container["path"], body["path"])
        checked = self.checked_path(body["path"], container)
        wanted = [(item["route"], params, item.get("mark"), item.get("locked"), item.get("id")) for item, params in zip(body["path"], checked)]
        container["path"][:] = self.merged_path(container["path"], wanted)
        return {"reason": "already-there"}

    def check_ids(self, path, wanted):
        """Ids that are given have to be there, each once, with the route that they have."""
        used = set()
        for item in wanted:
            if "id" not in item: continue
            entry = next((entry for entry in path if entry["id"] == item["id"]), None)
            if entry is None: raise Refused(404, "entry-not-found")
            if entry["route"] != item["route"] or item["id"] in used: raise Refused(422, "invalid-request")
            used.add(item["id"])

    def setParams(self, body):
        name, locked = body.get("entry", "visible"), body.get("locked")
        if name == "visible": name = self.visible["id"]
        tab = self.tab(name)
        screen = self.root_of(tab) if tab else next((entry for entry in self.entries() if entry["id"] == name), None)
        if screen is None: raise Refused(404, "entry-not-found")
        if locked is not None and (tab or screen.get("style") in DIALOGS): raise Refused(422, "invalid-request")
        params = screen["params"]
        if "params" in body:
            params = body["params"] if body.get("mode") == "replace" else merge_patch(params, body["params"])
            params = self.checked_params(screen["route"], params)
        if tab: self.set_root(tab, params)
        elif "style" in screen:
            self.revise(screen, params, None)
            if locked: screen["dismissible"] = False
            elif locked is False: screen.pop("dismissible", None)
        else: self.revise(screen, params, None, locked)
        return {"reason": "same-entry"}

    def setBadge(self, body):
        tab = self.tab(body["tab"])
        if tab is None: raise Refused(404, "tab-not-found")
        if body["badge"] in (None, 0): tab.pop("badge", None)
        else: tab["badge"] = body["badge"]
        return {"reason": "already-there"}

    def setTabs(self, body):
        order = body.get("order", [tab["id"] for tab in self.place["tabs"]])
        hidden = body.get("hidden", [tab["id"] for tab in self.place["tabs"] if tab.get("hidden")])
        for name in [*order, *hidden]:
            if self.tab(name) is None: raise Refused(404, "tab-not-found")
        if sorted(order) != sorted(tab["id"] for tab in self.place["tabs"]) or len(set(hidden)) != len(hidden):
            raise Refused(422, "invalid-request")
        open_tabs = [name for name in order if name not in hidden and not (self.app and self.app.tab_guards(name))]
        if self.place["selected"] in hidden or not open_tabs: raise Refused(409, "tab-needed")
        self.place["tabs"] = [self.tab(name) for name in order]
        for tab in self.place["tabs"]:
            tab.pop("hidden", None)
            if tab["id"] in hidden: tab["hidden"] = True
        return {"reason": "already-there"}

    # Facts and guards.

    def set_facts(self, body, strict):
        declared = self.app.facts if self.app else {}
        wrong = False
        for name in body["facts"]:
            if name not in declared: raise Refused(422, "unknown-fact")
        facts = dict(self.facts)
        for name, value in body["facts"].items():
            facts[name] = declared[name]["default"] if value is None else value
            wrong = wrong or not self.app.schema(declared[name].get("schema", True)).fits(facts[name])
        if wrong: raise Refused(422, "invalid-params")
        self.facts = {name: self.facts[name] if equal(self.facts[name], value) else value for name, value in facts.items()}
        self.shut_out()
        answer = {"reason": "already-there"}
        pending = self.pending
        if pending and self.app.holds(pending["guard"], self.facts):
            self.pending = None
            led_to = pending.get("entry")
            self.resumed = next((sheet for sheet in self.sheets if sheet["id"] == led_to), {"id": led_to}) if led_to else None
            self.remove(led_to)
            answer["resumed"] = pending["command"]
            name = pending["command"]["command"]
            inner = {key: value for key, value in pending["command"].items() if key != "command"}
            before = self.memory()
            try: answer.update({key: value for key, value in self.guarded(name, inner, strict=False).items() if key == "held"})
            except Refused as refused:
                self.restore(before)
                answer["refused"] = refused.problem
        return answer

    def failing(self):
        """The first guard that fails, in the order of the contract."""
        if not self.app: return None
        for container in [*self.place["tabs"], *self.sheets]:
            if self.is_sheet(container): guards = self.app.route_guards(container["route"])
            else: guards = self.app.tab_guards(container["id"]) if container is self.selected or container["path"] else []
            found = self.failed([*guards, *(guard for entry in container["path"] for guard in self.app.route_guards(entry["route"]))])
            if found: return found
        return None

    def refusal(self, guard): return Refused(409, "guarded", guard=guard, when=self.app.guards[guard]["when"], facts=self.app.unmet(guard, self.facts))

    def guarded(self, name, body, strict):
        """Carries a command out, or what its guard has instead."""
        before = self.memory()
        answer = self.rules(name, body)
        guard = self.failing()
        if guard is None:
            self.refuse_unlocking(before, name, body)
            return answer
        if strict: raise self.refusal(guard)
        self.restore(before)
        asked = {"command": name, **body}
        if name in ("navigate", "setPath") and body.get("in", "active") == "active": asked["in"] = self.active_when_resumed()
        guard, entry = self.offer(guard, before)
        self.pending = {"guard": guard, "command": asked, **({"entry": entry} if entry else {})}
        older = before["pending"]
        same = same_place(self.place, before["place"]) and equal(self.pending, older)
        given_up = {"givenUp": older["command"]} if older and not equal(older["command"], asked) else {}
        return {"held": guard, "reason": "held", "changed": not same, **given_up}

    def active_when_resumed(self):
        """The active container without what the guard of an earlier command has offered, which goes first."""
        before = self.memory()
        if self.pending: self.remove(self.pending.get("entry"))
        active = self.active["id"]
        self.restore(before)
        return active

    def offer(self, guard, before):
        """Carries out what a guard offers, or what the guard of that offers, and so on; the last guard, and the id of what it led to."""
        had = []
        while guard:
            instead = self.app.guards[guard].get("instead")
            if instead is None or guard in had: raise self.refusal(guard)
            had.append(guard)
            self.restore(before)
            name, body = instead["command"], {key: value for key, value in instead.items() if key != "command"}
            if name == "present": body.setdefault("tag", guard)
            if name == "navigate": body.setdefault("mode", self.app.routes[body["route"]].get("mode", "popTo"))
            guard = self.guard_over(name, body)
            if guard: continue
            try:
                self.rules(name, body)
                guard = self.failing()
                if guard is None: self.refuse_unlocking(before, name, body)
            except Refused: raise self.refusal(had[-1]) from None
        return had[-1], self.led_to(name, body)

    def guard_over(self, name, body):
        """The guard that fails over what an offer leads to, as far as the document says it."""
        goal = (self.app.resolve(body["url"]) if name == "open" else None) or {"path": None, "sheet": None}
        tab = goal.get("tab") or body.get("tab") or body.get("in")
        screens = [*(goal["path"] or []), *([goal["sheet"], *goal["sheet"]["path"]] if goal["sheet"] else []), body, *body.get("path", [])]
        guards = self.app.tab_guards(tab) if tab in self.app.tabs else []
        return self.failed([*guards, *(guard for screen in screens for guard in self.app.route_guards(screen.get("route")))])

    def led_to(self, name, body):
        """The id of the sheet that a command has presented, or of the end of the path that it has changed."""
        goal = self.app.resolve(body["url"]) if name == "open" else {"tab": body.get("tab", body.get("in", "active")), "sheet": name == "present"}
        if goal["sheet"]: return self.sheets[-1]["id"]
        path = self.container(goal["tab"])["path"]
        return path[-1]["id"] if path else None

    def remove(self, identifier):
        """Removes an entry or a sheet with all that is above it."""
        for container in [*self.place["tabs"], *self.sheets]:
            if self.is_sheet(container) and container["id"] == identifier:
                self.place["sheets"] = self.sheets[:self.sheets.index(container)]
                return
            for index, entry in enumerate(container["path"]):
                if entry["id"] == identifier: return self.cut(container, index)

    def cut(self, container, index):
        """Removes the rest of a path, and the sheets over it; those over a tab only if it is selected."""
        above = self.over(container) if self.is_sheet(container) or container is self.selected else []
        del container["path"][index:]
        self.place["sheets"] = self.sheets[:len(self.sheets) - len(above)]

    def shut_out(self):
        """Leaves nothing under a guard that fails, and no sheet without its presenter."""
        if not self.app: return
        if self.is_shut(self.place["selected"]):
            self.place["sheets"] = []
            self.selected["path"].clear()
            self.choose(self.first_tab())
        for container in [*self.place["tabs"], *self.sheets]:
            if "style" not in container and self.is_shut(container["id"]): container["path"].clear()
            if "style" in container and self.failed(self.app.route_guards(container["route"])): self.remove(container["id"])
            index = next((i for i, entry in enumerate(container["path"]) if self.failed(self.app.route_guards(entry["route"]))), None)
            if index is not None: self.remove(container["path"][index]["id"])
        self.settle_presenters()

    # Whole commands.

    def memory(self): return copy.deepcopy({key: getattr(self, key) for key in ("place", "facts", "pending", "last")})

    def restore(self, memory):
        for key, value in copy.deepcopy(memory).items(): setattr(self, key, value)

    def rules(self, name, body):
        """The effect of a command by itself; then sheets go with their presenters."""
        self.pressed, self.replaced = {}, None
        answer = getattr(self, name)(body)
        if name not in ("setBadge", "setTabs", "setParams"): self.settle_presenters(body.get("sheets") == "keep")
        return {**answer, **({"pressed": dict(self.pressed)} if self.pressed else {})}

    def command(self, name, body=None, strict=False, revision=None, dry=False):
        """Status and answer of a command, which is carried out as a whole or not at all.

        `revision` is the one of the state that If-Match names; a dry run changes nothing.
        """
        if dry: return copy.deepcopy(self).command(name, body, strict, revision)
        if has_long_name(body): return 422, Refused(422, "limit-exceeded").problem
        if revision not in (None, self.revision): return 412, Refused(412, "revision-mismatch").problem
        before = self.memory()
        stacks = list(self.undone), list(self.redone)
        try:
            check_shape(name, {} if body is None else body)
            answer = self.whole(name, body or {}, strict, before)
            if strict and not answer["changed"]: raise Refused(409, answer["reason"])
            return 200, answer
        except Refused as refused:
            self.restore(before)
            self.undone, self.redone = stacks
            return refused.status, refused.problem

    def patch(self, body):
        """PATCH with labels; no step of undo."""
        labels = merge_patch({"labels": self.labels}, body).get("labels", {})
        if labels != self.labels:
            self.labels, self.redone = labels, []
            self.revision += 1
        return 200, {}

    def put(self, shown):
        """PUT with a state that the session has shown before, perhaps without some of its screens."""
        before = self.memory()
        labels = self.labels
        shown = copy.deepcopy(shown)
        self.place = {"tabs": shown["tabs"], "selected": shown["selectedTab"], "sheets": shown["sheets"], "left": shown.get("tabHistory", [])}
        for screen in [*self.entries(), *(tab.get("root", {}) for tab in self.place["tabs"])]:
            if "buttons" not in screen: screen.pop("title", None)
        self.facts, self.labels, self.pending = shown.get("facts", {}), shown.get("labels", {}), shown.get("pending")
        for tab in self.place["tabs"]: self.fit_root(tab)
        self.settle_presenters(keeps=True)
        self.drop_misplaced()
        self.shut_out()
        self.settle_presenters()
        self.since, self.is_left = self.memory()["place"], False
        self.give_up({})
        if self.pending and self.app.holds(self.pending["guard"], self.facts): self.pending = None
        if self.memory() != before or self.labels != labels:
            self.revision, self.redone = self.revision + 1, []
            if not same_place(self.place, before["place"]): self.undone.append(before["place"])
        return 200, {}

    def whole(self, name, body, strict, before):
        if name in ("undo", "redo"): return self.travel(name, body.get("count", 1), before)
        answer = self.batch(body["commands"], strict) if name == "batch" else self.one(name, body, strict)
        changed, has_moved = answer.pop("changed"), answer.pop("has_moved")
        if changed:
            self.revision += 1
            self.redone = []
            if has_moved: self.undone.append(before["place"])
        return self.told(answer, changed, before)

    def one(self, name, body, strict, inside=False):
        """One command; `changed` says whether anything is different, `has_moved` whether undo would see it."""
        before = self.memory()
        if not inside: self.since, self.is_left, self.resumed = before["place"], False, None
        was_left = self.has_left()
        answer = self.set_facts(body, strict) if name == "setFacts" else self.guarded(name, body, strict)
        self.settle_presenters()
        if not equal(self.pending, before["pending"]): self.since, self.is_left = self.memory()["place"], False
        elif name == "setFacts":
            self.since, self.is_left = self.memory()["place"], was_left
            if self.pending and not was_left and not self.is_there(self.pending.get("entry")): self.pending.pop("entry", None)
        answer.setdefault("changed", not (same_place(self.place, before["place"]) and equal(self.facts, before["facts"])
                                          and equal(self.pending, before["pending"])))
        if not inside: self.give_up(answer)
        answer["has_moved"] = not same_place(self.place, before["place"])
        return answer

    def is_there(self, identifier): return any(one["id"] == identifier for one in self.entries())

    def is_beneath(self, identifier, number):
        """Whether a screen is on a tab, or on a sheet beneath that of the number."""
        beneath = [*self.place["tabs"], *self.sheets[:number]]
        return any(identifier in (one["id"], *(entry["id"] for entry in one["path"])) for one in beneath)

    def settle_presenters(self, keeps=False):
        """A sheet whose presenter is gone goes with all above it, or is presented by what is visible beneath it."""
        for number, sheet in enumerate(self.sheets):
            if self.is_beneath(sheet.get("presentedBy"), number): continue
            if not keeps:
                self.place["sheets"] = self.sheets[:number]
                return
            sheet["presentedBy"] = self.visible_beneath(number)["id"]

    def fit_root(self, tab):
        """Keeps the params of a root if they fit, perhaps with their defaults; otherwise it is as declared."""
        root, declared = tab.pop("root", None), self.declared_root(tab["id"])
        if root is None: return
        given = root.get("params", {})
        fitting = [given] if not self.app or equal(given, declared["params"]) else \
            [params for schema in [self.app.params_schema(declared["route"])] for params in (given, schema.with_defaults(given)) if schema.fits(params)]
        if fitting and root.get("route", declared["route"]) == declared["route"]: self.set_root(tab, fitting[0], root.get("mark"))

    def drop_misplaced(self):
        """Drops what the app does not allow on what is left beneath it, and sheets that it does not allow over their presenters."""
        if not self.app: return
        roots = {tab["id"]: self.root_of(tab) for tab in self.place["tabs"]}
        routes = {identifier: screen["route"] for identifier, screen in [*roots.items(), *((one["id"], one) for one in self.entries())]}
        self.place["sheets"] = [sheet for sheet in self.sheets if self.is_on(sheet["route"], routes.get(sheet["presentedBy"]))]
        for container in [*self.place["tabs"], *self.sheets]:
            path, container["path"] = container["path"], []
            for entry in path:
                below = container["path"][-1]["route"] if container["path"] else None
                # A sheet without routes of its own may have what was pushed over any tab.
                tabs = self.place["tabs"] if "style" in container else [container]
                if any(self.may_push(entry["route"], below, tab, container) for tab in tabs): container["path"].append(entry)

    def give_up(self, answer):
        """Drops what is pending if a change has removed the entry that its guard led to, or has left the tab."""
        if "held" in answer or not self.has_left(): return
        answer["givenUp"], self.pending, answer["changed"] = self.pending["command"], None, True

    def has_left(self):
        if not self.pending or self.is_left: return self.pending is not None
        entry = self.pending.get("entry")
        if self.pending.get("answered"): return where(self.place) != where(self.since)
        return not self.is_there(entry) if entry else self.place["selected"] != self.since["selected"]

    def batch(self, commands, strict):
        """All commands or none. It has changed something if one of them has, also if another took it back."""
        results, has_moved, answer = [], False, {}
        self.since, self.is_left, self.resumed = self.memory()["place"], False, None
        for index, part in enumerate(commands):
            before = self.memory()
            body = {key: value for key, value in part.items() if key != "command"}
            try:
                result = self.one(part["command"], body, strict=True, inside=True)
                if strict and not result["changed"]: raise Refused(409, result["reason"])
            except Refused as refused:
                refused.members["index"] = index
                raise
            has_moved = result.pop("has_moved") or has_moved
            results.append(self.told(result, result.pop("changed"), before))
        self.give_up(answer)
        pressed = {key: value for part in results for key, value in part.get("pressed", {}).items()}
        if pressed: answer["pressed"] = pressed
        changed = any(part["changed"] for part in results)
        return {**answer, "results": results, "changed": changed, "has_moved": has_moved, "reason": results[-1].get("reason")}

    def travel(self, name, count, before):
        """Undo and redo."""
        answer = {}
        source, other = (self.undone, self.redone) if name == "undo" else (self.redone, self.undone)
        done = 0
        while done < count and source:
            other.append(self.place)
            self.place = copy.deepcopy(source.pop())
            done += 1
        if done:
            self.drop_misplaced()
            self.shut_out()
            self.settle_presenters()
            self.since, self.is_left = before["place"], False
            self.give_up(answer)
            if self.pending and self.app.holds(self.pending["guard"], self.facts): self.pending = None
            self.revision += 1
        answer.pop("changed", None)
        return self.told({**answer, name + "ne": done, "reason": f"nothing-to-{name}"}, done > 0, before)

    def told(self, answer, changed, before):
        """The answer with what came and went."""
        old, new = [identifiers(place) for place in (before["place"], self.place)]
        if changed: answer.pop("reason", None)
        added, removed = [one for one in new if one not in old], [one for one in old if one not in new]
        if "popped" in answer: answer["popped"] = len(removed)
        return {"changed": changed, **answer, "added": added, "removed": removed}


def identifiers(place):
    """The ids of entries and sheets, from bottom to top."""
    for_tabs = [entry["id"] for tab in place["tabs"] for entry in tab["path"]]
    return for_tabs + [one["id"] for sheet in place["sheets"] for one in [sheet, *sheet["path"]]]


def where(place):
    """The selection, and the ids of entries and sheets by their containers."""
    return place["selected"], {one["id"]: [entry["id"] for entry in one["path"]] for one in [*place["tabs"], *place["sheets"]]}


def same_place(one, other): return equal(one, other)


def text_of(sheet): return [sheet.get(name) for name in ("title", "message", "buttons")] if sheet["style"] in DIALOGS else []


# --- Steps --------------------------------------------------------------------------------------

def steps(start, goal, app=None):
    """How a user interface gets from one session's state to another's, one animation at a time."""
    def root(tab):
        if "root" in tab: return tab["root"]
        declared = app.root(tab["id"]) if app else {"id": tab["id"], "route": tab["id"], "params": {}}
        return {**declared, "title": app.title(declared)} if app and app.shows_titles else declared

    def look(screen): return json.dumps([screen["params"], screen.get("mark"), screen.get("locked"), screen.get("dismissible")])

    tabs = {tab["id"]: tab for tab in start["tabs"]}
    kept = 0
    while kept < min(len(start["sheets"]), len(goal["sheets"])) and start["sheets"][kept]["id"] == goal["sheets"][kept]["id"]: kept += 1
    found = []
    order, hidden = [tab["id"] for tab in goal["tabs"]], [tab["id"] for tab in goal["tabs"] if tab.get("hidden")]
    has_moved = order != [tab["id"] for tab in start["tabs"]] or hidden != [tab for tab in order if tabs[tab].get("hidden")]

    def arrangement(names): return {"step": "tabs", "order": order, "hidden": names}

    first = [tab for tab in hidden if tab != start["selectedTab"]]
    if has_moved and (first == hidden or order != [tab["id"] for tab in start["tabs"]] or first != [tab for tab in order if tabs[tab].get("hidden")]):
        found.append(arrangement(first))
    found += [{"step": "dismiss", "sheet": sheet["id"]} for sheet in reversed(start["sheets"][kept:])]
    if start["selectedTab"] != goal["selectedTab"]: found.append({"step": "select", "tab": goal["selectedTab"]})
    if first != hidden: found.append(arrangement(hidden))

    pairs = [(tabs[tab["id"]], tab) for tab in goal["tabs"]] + list(zip(start["sheets"][:kept], goal["sheets"]))
    common = []
    for old, new in pairs:
        count = 0
        while count < min(len(old["path"]), len(new["path"])) and old["path"][count]["id"] == new["path"][count]["id"]: count += 1
        common.append(count)
        if count < len(old["path"]): found.append({"step": "pop", "in": new["id"], "count": len(old["path"]) - count})
    for (_, new), count in zip(pairs, common):
        found += [{"step": "push", "in": new["id"], "entry": entry} for entry in new["path"][count:]]
    for sheet in goal["sheets"][kept:]:
        found.append({"step": "present", "sheet": {**sheet, "path": []}})
        found += [{"step": "push", "in": sheet["id"], "entry": entry} for entry in sheet["path"]]
    for (old, new), count in zip(pairs, common):
        members = ["id", "route", "params", "mark", "dismissible"] + (["title"] if "buttons" not in new else [])
        below = (old, {key: new[key] for key in members if key in new}) if "style" in new else (root(old), root(new))
        for was, now in [below, *zip(old["path"][:count], new["path"])]:
            # Not by equality: after the steps the params have the text of the goal, in which 1 is not 1.0.
            if look(was) != look(now): found.append({"step": "params", "entry": now})
    for tab in goal["tabs"]:
        if tabs[tab["id"]].get("badge") != tab.get("badge"):
            found.append({"step": "badge", "tab": tab["id"], **({"badge": tab["badge"]} if "badge" in tab else {})})
    return found
