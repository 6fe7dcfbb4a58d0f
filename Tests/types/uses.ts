// Uses that the generated types accept, and others that they refuse. They are only compiled; tsc
// complains where an expected error is none.
import { createClient } from "./navstate.js";
import type { Chat, ChatScreen } from "./chat.js";
import type { Hierarchy } from "./hierarchy.js";
import type { Routers } from "./routers.js";
import type { Shop } from "./shop.js";
import type { Social } from "./social.js";
import type { Clinic1 } from "./hostile.js";
import { order } from "./shop.links.js";
import { postDetail } from "./social.links.js";

const client = createClient({ token: "t" });

export async function right(): Promise<boolean | undefined> {
    const chat = client.session<Chat>("desk-1");
    await chat.navigate({ route: "contactDetail", params: { contact: { id: "42" } } }); // contactDetail
    await chat.navigate({ route: "contactList", in: "chats", mode: "single" });
    const pressed: "delete" | "keep" | undefined = await chat.ask({
        route: "deleteChat", params: { contact: { id: "1", name: "Ada" } },
    });
    console.log(pressed);
    for await (const { session } of chat.watch()) {
        const visible = session.visible;
        if (visible.route === "conversation") console.log(visible.params.contact.id);
        if (session.selectedTab === "settings") break;
    }
    await client.session<Routers>("r").navigate({ route: "transportation", params: { type: "tram" } });
    const shop = client.session<Shop>("s");
    await shop.setFacts({ signedIn: true, role: "clerk" });
    await shop.open({ url: order("7") });
    const { changed, session } = await shop.back();
    console.log(changed, session.facts?.role === "clerk", postDetail(3));
    await client.session<Social>("s").present({ route: "settings" });
    await client.session<Social>("s").select({ tab: "search" });
    await client.session<Hierarchy>("h").present({ route: "grandGrandChildView" });
    const p = { id: "x", ward: "day-care" } as const;
    await client.session<Clinic1>("c").navigate({ route: "default", params: { p } });
    await client.session<Clinic1>("c").navigate({ route: "waiting.room" });
    await client.session("any").navigate({ route: "whatever", params: { a: 1 } });
    return chat.ask({ route: "confirm", params: { question: "Delete?" } });
}

export function title(screen: ChatScreen): string {
    switch (screen.route) {
        case "contactDetail": return screen.params.contact.name ?? "Contact"; // contactDetail
        case "confirm": return screen.params.question;
        default: return screen.route;
    }
}

export async function wrong(): Promise<void> {
    const chat = client.session<Chat>("desk-1");
    // @ts-expect-error: no such route
    await chat.navigate({ route: "contactDetial", params: { contact: { id: "42" } } });
    // @ts-expect-error: the params are missing
    await chat.navigate({ route: "conversation" });
    // @ts-expect-error: a sheet is presented, not pushed
    await chat.navigate({ route: "confirm", params: { question: "?" } });
    // @ts-expect-error: no such tab
    await chat.select({ tab: "calls" });
    // @ts-expect-error: a question that the app does not have
    await chat.ask({ route: "contactList" });
    // @ts-expect-error: not one of the values
    await client.session<Routers>("r").navigate({ route: "transportation", params: { type: "rocket" } });
    // @ts-expect-error: a fact of another type
    await client.session<Shop>("s").setFacts({ signedIn: "yes" });
    // @ts-expect-error: no such fact
    await client.session<Shop>("s").setFacts({ isSignedIn: true });
    // @ts-expect-error: a number, not a text
    postDetail("3");
}
