// The app's screens: what each route looks like with its params. The content is made up; a real app
// would load it by the ids in the params.

// Maps, since any name may come from a session: an object would also find what it has from `Object`.
export const tabs = new Map([
    ["home", { title: "Home", symbol: "⌂" }],
    ["search", { title: "Search", symbol: "⌕" }],
    ["profile", { title: "Profile", symbol: "☺" }],
]);
const titles = new Map([
    ["postDetail", "Post"], ["userProfile", "Profile"], ["settings", "Settings"],
    ["newPost", "New Post"], ["audience", "Audience"],
]);
const drawings = new Map(Object.entries({
    home, search, profile, postDetail, userProfile, settings, newPost, audience,
}));

const users = { 1: "ada", 2: "grace", 3: "katherine" };
const posts = [
    { id: 1, title: "Notes on the analytical engine", body: "It weaves algebraic patterns as the loom weaves flowers and leaves.", userId: 1 },
    { id: 2, title: "A moth in relay 70", body: "Taped it into the log book.", userId: 2 },
    { id: 3, title: "The numbers for the landing", body: "Checked them twice, by hand.", userId: 3 },
    { id: 4, title: "Compilers, why not", body: "They told me that computers could only do arithmetic.", userId: 2 },
];

/** Puts a new post on top of the feed. */
export function addPost(text) {
    posts.unshift({ id: posts.length + 1, title: text, body: "Just now.", userId: 1 });
}

/** Makes an element; `text`, `class` and `on…` are what they sound like. */
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (key === "text") made.textContent = value;
        else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
}

export function titleOf({ route }) {
    return tabs.get(route)?.title ?? titles.get(route) ?? route;
}

/** A screen's content; `tap` sends a command. */
export function drawScreen({ route, params }, tap) {
    const draw = drawings.get(route);
    return element("div", { class: "content" }, ...(draw ? draw(params, tap) : [element("p", { text: `Nothing draws ${route} yet.` })]));
}

function row(text, detail, act) {
    return element("button", { class: "row", onclick: act }, element("strong", { text }), element("span", { text: detail }));
}

function home(_, tap) {
    return [
        element("button", { class: "compose", onclick: () => tap("present", { route: "newPost" }), text: "New post" }),
        ...posts.map((post) => row(post.title, users[post.userId] ?? "", () =>
            tap("navigate", { route: "postDetail", params: { id: post.id, post } }))),
    ];
}

function search({ q = "" }, tap) {
    return Object.values(users).filter((user) => user.includes(q)).map((user) => row(user, "Profile", () =>
        tap("navigate", { route: "userProfile", params: { userId: user } })));
}

function profile(_, tap) {
    return [
        element("p", { class: "lead", text: "You are signed in as ada." }),
        row("Settings", "", () => tap("navigate", { route: "settings" })),
        row("Your posts", String(posts.filter((post) => post.userId === 1).length), () =>
            tap("navigate", { route: "userProfile", params: { userId: "ada" } })),
    ];
}

function postDetail({ id, post }, tap) {
    // The feed hands the post over with the params, so a detail need not load it again.
    const known = post ?? posts.find((item) => item.id === id) ?? { title: `Post ${id}` };
    const author = users[known.userId];
    return [
        element("h2", { text: known.title }),
        element("p", { class: "lead", text: known.body ?? "" }),
        author ? row(author, "Author", () => tap("navigate", { route: "userProfile", params: { userId: author } })) : "",
    ];
}

function userProfile({ userId }, tap) {
    const own = posts.filter((post) => users[post.userId] === userId);
    return [
        element("p", { class: "avatar", "aria-hidden": "true", text: String(userId).slice(0, 1).toUpperCase() }),
        element("h2", { text: userId }),
        ...own.map((post) => row(post.title, "", () => tap("navigate", { route: "postDetail", params: { id: post.id, post } }))),
    ];
}

function settings() {
    return [element("p", { class: "lead", text: "Nothing to set: the service remembers where you are." })];
}

// One field for good, so that what is typed stays when somebody else's change draws the screen anew.
const text = element("textarea", { rows: "4", "aria-label": "Text", placeholder: "What is new?" });

function newPost(_, tap) {
    const post = () => {
        tap("dismiss", { result: { text: text.value.trim() || "Hello" } });
        text.value = "";
    };
    return [text, row("Audience", "Everyone", () => tap("navigate", { route: "audience" })),
        element("button", { class: "compose", onclick: post, text: "Post" })];
}

function audience(_, tap) {
    return ["Everyone", "Friends", "Only me"].map((name) => row(name, "", () => tap("back")));
}
