// Made by Sources/Assets/generate.py of openapi.yaml.

/**
 * Each command with an example of its body.
 *
 * @type {Record<string, any>}
 */
export const examples = {
    navigate: {"route": "contactDetail", "params": {"contact": {"id": "42", "name": "Ada"}}},
    back: {},
    root: {},
    present: {"route": "compose"},
    dismiss: {},
    select: {"tab": "settings"},
    open: {"url": "chat://conversation/42"},
    setPath: {"in": "shop", "path": [{"route": "category", "params": {"category": {"query": "tea"}}}, {"route": "help"}]},
    setParams: {"params": {"product": {"price": null}}},
    setBadge: {"tab": "chats", "badge": 3},
    setTabs: {"order": ["settings", "chats", "calls"], "hidden": ["calls"]},
    setFacts: {"facts": {"signedIn": true}},
    batch: {"commands": [{"command": "navigate", "route": "contactList"}, {"command": "present", "route": "compose"}]},
    undo: {},
    redo: {},
};
