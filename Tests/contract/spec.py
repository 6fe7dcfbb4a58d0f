"""The OpenAPI document without the operations that a tool cannot follow to their end."""

import sys

import yaml

source, target = sys.argv[1:3]
document = yaml.safe_load(open(source))

# A stream has no end for a tool to wait for; Tests/process and Tests/navstate.js follow them.
LEFT_OUT = {
    operation["operationId"]
    for item in document["paths"].values()
    for operation in item.values()
    if isinstance(operation, dict) and "Streams" in operation.get("tags", [])
}
assert LEFT_OUT, "the streams have another tag"
for path in list(document["paths"]):
    item = document["paths"][path]
    for method in list(item):
        if isinstance(item[method], dict) and item[method].get("operationId") in LEFT_OUT:
            del item[method]
    if not any(isinstance(value, dict) and "operationId" in value for value in item.values()):
        del document["paths"][path]

# A dry run answers 201 and creates nothing: the check that looks for what was created cannot know.
create = document["paths"]["/v1/sessions"]["post"]
create["parameters"] = [
    item for item in create.get("parameters", []) if "dryrun" not in str(item).lower()
]


def drop_links(node):
    if isinstance(node, dict):
        links = node.get("links")
        if isinstance(links, dict):
            for name in list(links):
                if isinstance(links[name], dict) and links[name].get("operationId") in LEFT_OUT:
                    del links[name]
        for value in node.values():
            drop_links(value)
    elif isinstance(node, list):
        for value in node:
            drop_links(value)


drop_links(document)
yaml.safe_dump(document, open(target, "w"), sort_keys=False, allow_unicode=True)
print(f"{sum(1 for p in document['paths'].values() for v in p.values() if isinstance(v, dict) and 'operationId' in v)} operations, {len(LEFT_OUT)} left out")
