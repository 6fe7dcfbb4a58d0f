"""Members that code generators cannot translate, or translate into something useless, do not
occur in the description: document_test.py OPENAPI-YAML"""

import sys

import yaml

document = yaml.safe_load(open(sys.argv[1]))
schemas = document["components"]["schemas"]
errors = []

# Types of SwiftUI and TypeScript, and words that are keywords or built in somewhere.
taken = {
    "App", "Date", "Entry", "Error", "Image", "Label", "List", "Map", "Object", "Open", "Result",
    "Scene", "Screen", "Section", "Set", "Tab", "Task", "Text", "Type", "View",
}
keywords = {"default", "delete", "import", "in", "is", "list", "open", "print", "switch", "type"}


def target(schema):
    while "$ref" in schema:
        schema = schemas[schema["$ref"].removeprefix("#/components/schemas/")]
    return schema


def check(schema, place):
    if not isinstance(schema, dict):
        errors.append(f"{place}: a boolean schema becomes no type")
        return
    if "not" in schema:
        errors.append(f"{place}: with `not`, Swift OpenAPI Generator drops the schema")
    kinds = schema.get("type")
    if kinds == "null":
        errors.append(f"{place}: null alone; write `type: [T, \"null\"]`")
    if isinstance(kinds, list) and (len(kinds) != 2 or "null" not in kinds):
        errors.append(f"{place}: several types; openapi-generator ignores all but one")
    if "enum" in schema and kinds not in ("string", "integer"):
        errors.append(f"{place}: enumerations of {kinds} do not compile in Swift")
    if schema.get("uniqueItems"):
        errors.append(f"{place}: `uniqueItems` becomes a set, which has no order")
    if "properties" in schema and ("oneOf" in schema or "anyOf" in schema):
        errors.append(f"{place}: members beside alternatives are lost")
    for name in set(schema.get("required", [])) - set(schema.get("properties", {})):
        errors.append(f"{place}: {name} is required and not described")
    for name in schema.get("discriminator", {}).get("mapping", {}).values():
        if target({"$ref": name}).get("type") != "object":
            errors.append(f"{place}: {name} is not an object")
    # Generated code sends defaults, so they must not be refused beside another member.
    for name, condition in schema.get("dependentSchemas", {}).items():
        for other in condition["properties"]:
            if "default" in schema["properties"][other]:
                errors.append(f"{place}: the default of {other} would be sent with {name}")

    for key in ("allOf", "anyOf", "oneOf"):
        for number, part in enumerate(schema.get(key, [])):
            check(part, f"{place}/{key}/{number}")
    for name, part in schema.get("properties", {}).items():
        check(part, f"{place}/{name}")
    if "items" in schema:
        check(schema["items"], f"{place}/items")
    if isinstance(schema.get("additionalProperties"), dict):
        check(schema["additionalProperties"], f"{place}/*")


for name, schema in schemas.items():
    if name in taken:
        errors.append(f"{name}: the name of something else in SwiftUI or TypeScript")
    check(schema, name)

operations = {
    operation["operationId"]: operation
    for item in document["paths"].values()
    for operation in item.values()
    if isinstance(operation, dict)
}
for name, operation in operations.items():
    if name in keywords:
        errors.append(f"{name}: a keyword, or the name of a built-in function")
    is_stream = any(
        "text/event-stream" in content
        for content in [
            document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
            .get("content", {}) if "$ref" in response else response.get("content", {})
            for response in operation["responses"].values()
        ]
    )
    if is_stream != (operation["tags"] == ["Streams"]):
        errors.append(f"{name}: streams, and only they, have the tag Streams")

assert len(operations) > 40, operations.keys()
if errors:
    sys.exit("\n".join(errors))
print(f"{len(schemas)} schemas and {len(operations)} operations fit for generators")
