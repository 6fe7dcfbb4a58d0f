"""The schemas of bodies in the description of the API, without references, as the tools for agents
have them."""

import copy
import pathlib

import yaml

ROOT = pathlib.Path(__file__).parent.parent.parent
PREFIX = "#/components/schemas/"
# What a description for people has besides the schema.
NOTES = ("example", "format", "discriminator")


def document():
    return yaml.safe_load((ROOT / "openapi.yaml").read_text())


def flat(schema, schemas):
    """The schema with what it refers to in place of the references."""
    if isinstance(schema, list):
        return [flat(item, schemas) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: value for key, value in schema.items() if key not in NOTES}
    if "$ref" in schema:
        return flat(schemas[schema["$ref"].removeprefix(PREFIX)], schemas)
    if len(schema.get("allOf", [])) == 1:
        (only,) = schema.pop("allOf")
        return flat(only, schemas) | flat(schema, schemas)
    # Below `properties` the keys are names of members, which are no notes.
    return {
        key: {name: flat(part, schemas) for name, part in value.items()}
        if key in ("properties", "dependentSchemas", "$defs") else flat(value, schemas)
        for key, value in schema.items()
    }


def body(operation, schemas):
    """The schema of the body of an operation."""
    content = operation["requestBody"]["content"]["application/json"]
    return flat(content["schema"], schemas)


def bare(schema):
    """The schema without descriptions, and with its own `$defs` in place."""
    def walk(part, definitions):
        if isinstance(part, list):
            return [walk(item, definitions) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return walk(definitions[part["$ref"].removeprefix("#/$defs/")], definitions)
        return {
            key: {name: walk(item, definitions) for name, item in value.items()}
            if key in ("properties", "dependentSchemas") else walk(value, definitions)
            for key, value in part.items() if key not in ("description", "title", "$defs")
        }
    return walk(copy.deepcopy(schema), schema.get("$defs", {}))


def with_session(schema, session):
    """The schema of a tool that passes the other arguments on as a body."""
    schema = copy.deepcopy(schema)
    schema["properties"] = {"session": session} | schema["properties"]
    schema["required"] = ["session"] + schema.get("required", [])
    return schema
