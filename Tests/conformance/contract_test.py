#!/usr/bin/env python3
"""docs/contract.md, the stories and the vectors agree; no server is needed.

    contract_test.py            checks
    contract_test.py --write    updates the footnotes of the contract from the stories
"""
import json, pathlib, re, sys, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "docs/conformance"
PAGE = ROOT / "docs/contract.md"
sys.path.insert(0, str(SUITE))
import model

NOTE = r"\[\^([a-z0-9-]+)\]"
FOOTNOTES = "<!-- The footnotes: Tests/conformance/contract_test.py --write -->\n"


def chapters(folder): return {path: json.loads(path.read_text()) for path in sorted((SUITE / folder).glob("*.json"))}


STORIES = [(path, chapter["chapter"], story) for path, chapter in chapters("stories").items() for story in chapter["stories"]]
VECTORS = chapters("vectors")


def parts():
    """The page's text by the anchors of its chapters, without what is before the first part."""
    text = PAGE.read_text().split(FOOTNOTES)[0]
    found = {}
    for chapter in re.split(r"^## ", text[text.index("\n# Part 1"):], flags=re.M)[1:]:
        title, _, body = chapter.partition("\n")
        found[title.strip().lower().replace(" ", "-")] = re.split(r"^# ", body, flags=re.M)[0]
    return found


def sentences(body):
    """Each sentence with its notes. Quotations promise nothing, and are left out."""
    for block in re.split(r"\n\s*\n|\n(?=- )", body):
        lines = [line.strip() for line in block.splitlines()]
        if not any(lines) or all(line.startswith(">") for line in lines if line): continue
        text = re.sub(r"`[^`]*`", "CODE", " ".join(lines)).removeprefix("- ").strip()
        found = re.findall(rf"(.+?\.)((?: {NOTE})*)(?= |$)", text)
        assert "".join(sentence + notes for sentence, notes, _ in found).replace(" ", "") == text.replace(" ", ""), text
        for sentence, notes, _ in found: yield sentence.strip(), re.findall(NOTE, notes)


def footnotes():
    """The notes of the page."""
    lines = [f"[^{story['id']}]: [{path.name}](conformance/stories/{path.name}): {story['shows']}" for path, _, story in STORIES]
    lines += [f"[^vectors-{vectors['kind']}]: [{path.name}](conformance/vectors/{path.name}): {vectors['about']}" for path, vectors in VECTORS.items()]
    return "\n".join(lines) + "\n"


class ContractTests(unittest.TestCase):
    def test_every_sentence_has_a_story(self):
        for chapter, body in parts().items():
            for sentence, notes in sentences(body):
                self.assertTrue(notes, f"{chapter}: no story shows this: {sentence}")

    def test_every_note_is_a_story_or_a_kind_of_vectors(self):
        known = {story["id"] for _, _, story in STORIES} | {f"vectors-{vectors['kind']}" for vectors in VECTORS.values()}
        for chapter, body in parts().items():
            for sentence, notes in sentences(body):
                self.assertEqual(set(notes) - known, set(), f"{chapter}: {sentence}")

    def test_every_story_is_noted_in_its_chapter(self):
        noted = {chapter: {note for _, notes in sentences(body) for note in notes} for chapter, body in parts().items()}
        for path, chapter, story in STORIES:
            self.assertIn(chapter, noted, f"{path.name} names a chapter that the contract does not have")
            self.assertIn(story["id"], noted[chapter], f"{path.name}: the chapter does not refer to the story")

    def test_every_vector_is_noted(self):
        text = PAGE.read_text().split(FOOTNOTES)[0]
        for vectors in VECTORS.values(): self.assertIn(f"[^vectors-{vectors['kind']}]", text)

    def test_footnotes_are_those_of_the_stories(self):
        self.assertEqual(PAGE.read_text().split(FOOTNOTES)[1], footnotes(), "run contract_test.py --write")

    def test_the_contract_has_the_version_of_the_description(self):
        described = re.search(r'^  version: "(.*)"', (ROOT / "openapi.yaml").read_text(), re.M)[1]
        self.assertIn(f"**version {described}**", PAGE.read_text())
        newest = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]
        self.assertIn(f"Contract version {described}.", newest)

    def test_features_are_those_of_the_description(self):
        described = set(re.findall(r"^        \| `([A-Za-z]+)` \|", (ROOT / "openapi.yaml").read_text(), re.M))
        named = {name for chapter in chapters("stories").values() for name in chapter.get("features", [])}
        named |= {name for _, _, story in STORIES for name in story.get("features", [])}
        self.assertEqual(named, described)
        text = " ".join(re.findall(r"^> Features? (.*)", PAGE.read_text(), re.M))
        self.assertEqual(set(re.findall(r"`([A-Za-z]+)`(?=[ .])", text)) & described, described)


class FileTests(unittest.TestCase):
    def test_files_fit_their_schemas(self):
        for folder, schema in (("stories", "story.schema.json"), ("vectors", "vectors.schema.json")):
            checker = model.Schema(json.loads((SUITE / schema).read_text()))
            for path, value in chapters(folder).items(): self.assertEqual(checker.errors(value), [], path.name)

    def test_a_wrong_file_does_not_fit(self):
        checker = model.Schema(json.loads((SUITE / "story.schema.json").read_text()))
        chapter = next(iter(chapters("stories").values()))
        self.assertEqual(checker.errors({**chapter, "format": 2}), ["/format"])
        self.assertEqual(checker.errors({**chapter, "stories": [{"id": "x", "shows": "It shows something.", "steps": [{"commnd": "back"}]}]}),
                         ["/stories/0/steps/0", "/stories/0/steps/0/commnd"])

    def test_ids_are_unique(self):
        ids = [story["id"] for _, _, story in STORIES]
        self.assertEqual(sorted(ids), sorted(set(ids)))

    def test_there_are_so_many_stories(self): self.assertGreaterEqual(len(STORIES), 400)


class VectorTests(unittest.TestCase):
    """The model's functions of values."""

    def each(self, kind):
        return next(vectors for vectors in VECTORS.values() if vectors["kind"] == kind)["vectors"]

    def test_equality(self):
        for vector in self.each("equality"): self.assertEqual(model.equal(vector["one"], vector["other"]), vector["equal"], vector["shows"])

    def test_merges(self):
        for vector in self.each("merges"):
            self.assertEqual(json.dumps(model.merge_patch(vector["target"], vector["patch"])), json.dumps(vector["result"]), vector["shows"])

    def test_schemas(self):
        for vector in self.each("schemas"):
            self.assertEqual(model.Schema(vector["schema"], vector.get("definitions")).errors(vector["value"]), vector["errors"], vector["shows"])

    def test_schemas_with_conditions(self):
        for schema, value, errors in (
            ({"if": {"minimum": 2}, "then": {"type": "integer"}, "else": {"const": 1}}, 2.5, [""]),
            ({"if": {"minimum": 2}, "then": {"type": "integer"}, "else": {"const": 1}}, 1, []),
            ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, ["/b"]),
            ({"contains": {"type": "integer"}}, ["x"], [""]),
            ({"contains": {"type": "integer"}, "minContains": 0, "maxContains": 1}, [1, 2], [""]),
            ({"dependentRequired": {"a": ["b", "c"]}}, {"a": 1, "c": 2}, ["/b"]),
        ): self.assertEqual(model.Schema(schema).errors(value), errors, (schema, value))

    def test_links(self):
        for vector in self.each("links"):
            patterns = sorted(map(model.Pattern, vector["patterns"]), key=lambda pattern: pattern.rank)
            found = [(pattern.text, pattern.captures(vector["url"])) for pattern in patterns]
            found = next(((text, captures) for text, captures in found if captures is not None), (None, None))
            if found[1]: found = found[0], {name: model.first_of(value) for name, value in found[1].items()}
            self.assertEqual(found, (vector["matches"], vector.get("captures")), vector["shows"])

    def test_steps(self):
        for vector in self.each("steps"):
            self.assertEqual(model.steps(vector["from"], vector["to"]), vector["steps"], vector["shows"])

    def test_sessions(self):
        """The members that follow from others."""
        for vector in self.each("sessions"):
            shown = json.loads(vector["text"])
            app = model.App(vector["app"]) if "app" in vector else None
            session = model.Session(app, tabs=[tab["id"] for tab in shown["tabs"]], tab_back=shown.get("tabBack", "none"))
            session.place = {"tabs": shown["tabs"], "selected": shown["selectedTab"], "sheets": shown["sheets"], "left": shown.get("tabHistory", [])}
            session.facts, session.pending, session.last = shown.get("facts", {}), shown.get("pending"), shown["nextEntry"] - 1
            told = session.shown()
            self.assertEqual({key: shown[key] for key in told}, told, vector["shows"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(PAGE.read_text().split(FOOTNOTES)[0] + FOOTNOTES + footnotes())
    else: unittest.main()
