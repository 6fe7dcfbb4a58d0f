import Foundation
import NavstateClient

/// An app as `navstate app generate swift` writes it, for the tests of the router.
enum Store: AppNamespace {
    enum Screen: AppScreen, Codable {
        case home, profile
        case search(query: String = "")
        case page(n: Int)
        case orders
        case order(id: String)
        case stock, login, help, tips, gallery
        case remove(id: String)
        case reset(what: String)
    }

    enum Tab: String, AppTab {
        case shop, search, account
        var title: String? {
            switch self {
            case .shop: "Shop"
            case .search: "Search"
            case .account: "Account"
            }
        }
        var icon: String? {
            switch self {
            case .shop: "bag"
            case .search: "magnifyingglass"
            case .account: "person"
            }
        }
        var root: Screen {
            switch self {
            case .shop: .home
            case .search: .search(query: "tea")
            case .account: .profile
            }
        }
    }

    struct Facts: AppFacts {
        var signedIn: Bool = false
        var role: Role = .customer
        init() {}
    }

    enum Role: String, Codable, CaseIterable, Sendable {
        case customer, clerk
    }

    enum Guard: String, CaseIterable, Sendable {
        case member, staff
        func holds(_ facts: Facts) -> Bool {
            switch self {
            case .member: facts.signedIn == true
            case .staff: facts.role == .clerk
            }
        }
    }

    enum ResetButton: String, Codable, CaseIterable, Sendable {
        case reset, keep
    }

    enum Link {
        static func order(id: String) -> URL {
            AppLink.url("https://store.example/orders/\(AppLink.segment(id))")
        }
        static func search(query: String) -> URL {
            AppLink.url("https://store.example/search", query: [("query", [query])])
        }
    }

    static let document = #"""
        {"id":"store","title":"Store",
        "facts":{"signedIn":{"default":false,"schema":{"type":"boolean"}},
        "role":{"default":"customer","schema":{"enum":["customer","clerk"]}}},
        "guards":{"member":{"when":{"signedIn":true},
        "instead":{"command":"present","route":"login"}},"staff":{"when":{"role":"clerk"}}},
        "routes":{"home":{"title":"Store"},"profile":{},
        "search":{"title":"Results for {query}","params":{"type":"object","properties":
        {"query":{"type":"string","default":""}}}},
        "page":{"presentation":"any","hidesTabBar":true,"params":{"type":"object",
        "required":["n"],"properties":{"n":{"type":"integer"}}}},
        "orders":{"guard":"member"},
        "order":{"guard":"member","params":{"type":"object","required":["id"],
        "properties":{"id":{"type":"string","minLength":1}}}},
        "stock":{"guard":"staff"},"login":{"presentation":"sheet"},
        "help":{"presentation":["push","popover"]},"tips":{"presentation":"inspector"},
        "gallery":{"presentation":"fullScreenCover"},
        "remove":{"presentation":"sheet","params":{"type":"object","required":["id"],
        "properties":{"id":{"type":"string"}}},"result":{"type":"boolean"}},
        "reset":{"presentation":"alert","title":"Reset {what}?","buttons":
        [{"id":"reset","title":"Reset","role":"destructive"},
        {"id":"keep","title":"Keep","role":"cancel"}],
        "params":{"type":"object","required":["what"],"properties":{"what":{"type":"string"}}}}},
        "tabs":[{"id":"shop","title":"Shop","icon":"bag","root":"home",
        "routes":["page","orders","order","stock","help"]},
        {"id":"search","title":"Search","icon":"magnifyingglass",
        "root":{"route":"search","params":{"query":"tea"}},"routes":["page"]},
        {"id":"account","title":"Account","icon":"person","root":"profile","routes":["page"]}],
        "links":[{"pattern":"https://store.example/orders/{id}","tab":"shop",
        "path":["orders",{"route":"order","params":{"id":"{id}"}}]},
        {"pattern":"https://store.example/search?query={query}","tab":"search",
        "params":{"query":"{query}"}}]}
        """#
}

extension Store.Screen {
    typealias Tab = Store.Tab
    typealias Facts = Store.Facts
    typealias Guard = Store.Guard
    static var appID: String { "store" }
    static var appDocument: String { Store.document }
    var title: String? {
        switch self {
        case .home: "Store"
        case .search(let query): "Results for \(query)"
        case .reset(let what): "Reset \(what)?"
        case .profile, .page, .orders, .order, .stock, .login, .help, .tips, .gallery, .remove: nil
        }
    }
    var presentation: Presentation {
        switch self {
        case .home, .profile, .search, .orders, .order, .stock: .push
        case .page: .any
        case .help: [.push, .popover]
        case .tips: .inspector
        case .gallery: .fullScreenCover
        case .login, .remove: .sheet
        case .reset: .alert
        }
    }
    var hidesTabBar: Bool {
        switch self {
        case .page: true
        case .home, .profile, .search, .orders, .order, .stock, .login, .help, .tips, .gallery,
            .remove, .reset:
            false
        }
    }
    var `guard`: Store.Guard? {
        switch self {
        case .orders, .order: .member
        case .stock: .staff
        case .home, .profile, .search, .page, .login, .help, .tips, .gallery, .remove, .reset: nil
        }
    }
}

extension Question where Screen == Store.Screen, Answer == Bool {
    static func remove(id: String) -> Self { Self(.remove(id: id)) }
}
extension Answering where Screen == Store.Screen, Answer == Bool {
    static var remove: Self { Self("remove") }
}
extension Question where Screen == Store.Screen, Answer == Store.ResetButton {
    static func reset(what: String) -> Self { Self(.reset(what: what)) }
}
extension Answering where Screen == Store.Screen, Answer == Store.ResetButton {
    static var reset: Self { Self("reset") }
}
