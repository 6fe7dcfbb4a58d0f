// Uses that the generated types of the example apps must accept. They are only compiled: `run.sh`
// compiles it again after a route of the shop was renamed, and expects errors in the lines that
// end with `delivery` alone.
import Foundation
import NavstateClient

@MainActor func shop(_ router: Router<Shop.Screen>) -> [Shop.Screen] {
    router.navigate(to: .product(product: Shop.Product(title: "Green", price: 3.5)))
    router.navigate(to: .delivery)  // delivery
    router.setFacts { $0.role = .clerk }
    router.tab = .shop
    let holds = Shop.Guard.member.holds(Shop.Facts.with { $0.signedIn = true })
    let isGuarded = Shop.Screen.order(id: "1").guard == .member
    let urls: [URL] = [
        Shop.Link.order(id: "7"), Shop.Link.category(query: "tea"),
        Shop.Link.product(query: "tea", title: "Green", price: 3.5),
    ]
    print(holds, isGuarded, urls, Shop.Screen.appID, Shop.document.count)
    let screens: [Shop.Screen] = [.home, .delivery]  // delivery
    return screens
}

func title(_ screen: Shop.Screen) -> String {
    switch screen {
    case .delivery: "Delivery"  // delivery
    case .home, .product, .category, .orders, .order, .stock, .login, .register, .payment,
        .verifyAge, .wine, .filters:
        screen.title ?? "none"
    }
}

/// Sees the destinations of its group and no others.
@MainActor func people(_ router: any Chat.PeopleRouting) {
    router.showContactDetail(contact: Chat.Contact(id: "1", name: "Ada"))
    router.showContactList()
    router.navigateBack()
}

@MainActor func chat(_ router: Router<Chat.Screen>) async throws(NavstateError) {
    people(router)
    if try await router.ask(.confirm(question: "Delete?")) == true { router.navigateBack() }
    router.answer(.confirm, true)
    let ada = Chat.Contact(id: "1")
    let button: Chat.DeleteChatButton? = try await router.ask(.deleteChat(contact: ada))
    switch button {
    case .delete?: router.navigateToRoot()
    case .keep?, nil: router.dismissSheet()
    }
    let presentation: Presentation = Chat.Screen.contactDetail(contact: ada).presentation
    print(presentation, Chat.Tab.allCases.map(\.root), Chat.Tab.chats.icon ?? "")
    print(Chat.Link.conversation(contact: "4/2", name: "Grace H"))
}

@MainActor func others(
    _ social: Router<Social.Screen>, _ routers: Router<Routers.Screen>,
    _ hierarchy: Router<Hierarchy.Screen>
) {
    social.navigate(to: .postDetail(id: 3))
    print(Social.Link.postDetail(id: 3), Routers.Link.transportation(type: .tram))
    routers.navigate(to: .transportation(type: .tram))
    hierarchy.present(Hierarchy.Screen.grandGrandChildView)
}

@MainActor func mocks() {
    let mock = PeopleRoutingMock()
    people(mock)
    print(mock.calls == [.showContactList, .navigateBack])
}
