// The navigation of Kiosk. Made by navstate app generate swift, version 3; do not edit.
// swift-format-ignore-file
// swiftlint:disable all
import Foundation
import NavstateClient

/// Kiosk: its screens, tabs, facts and links.
nonisolated enum Kiosk: AppNamespace {
    /// Every screen of the app.
    nonisolated enum Screen: AppScreen, Codable {
        /// Kiosk
        case home
        /// Offers
        case offers
        /// {id}
        case product(id: String)
        /// Survey; sheet
        case survey
    }

    /// The tabs.
    nonisolated enum Tab: String, AppTab {
        case home
        case offers
        var title: String? {
            switch self {
            case .home: "Home"
            case .offers: "Offers"
            }
        }
        var icon: String? {
            switch self {
            case .home: "house"
            case .offers: "tag"
            }
        }
        var root: Screen {
            switch self {
            case .home: .home
            case .offers: .offers
            }
        }
    }

    /// The facts that guards check.
    nonisolated struct Facts: AppFacts {
        init() {}
    }

    /// Deep links, as URLs.
    nonisolated enum Link {
        /// kiosk://product/{id}
        static func product(id: String) -> URL {
            AppLink.url("kiosk://product/\(AppLink.segment(id))")
        }
    }

    /// The definition that this file was made from.
    static let document = #"""
        {"$schema":"../../docs/app.schema.json","id":"kiosk","title":"Kiosk","routes":{"home":{"title":"Kiosk"},"offers":{"title":"Offers"},"product":{"title":"{id}","params":{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","minLength":1}}}},"survey":{"title":"Survey","presentation":"sheet","result":{"type":"boolean"}}},"tabs":[{"id":"home","title":"Home","icon":"house","routes":["product"]},{"id":"offers","title":"Offers","icon":"tag","routes":["product"]}],"links":[{"pattern":"kiosk://product/{id}","tab":"offers","path":[{"route":"product","params":{"id":"{id}"}}]}]}
        """#
}

nonisolated extension Kiosk.Screen {
    typealias Tab = Kiosk.Tab
    typealias Facts = Kiosk.Facts
    static var appID: String { "kiosk" }
    static var appDocument: String { Kiosk.document }
    var title: String? {
        switch self {
        case .home: "Kiosk"
        case .offers: "Offers"
        case .product(let id): "\(id)"
        case .survey: "Survey"
        }
    }
    var presentation: Presentation {
        switch self {
        case .home, .offers, .product: .push
        case .survey: .sheet
        }
    }
    var hidesTabBar: Bool {
        false
    }
}

nonisolated extension Question where Screen == Kiosk.Screen, Answer == Bool {
    static var survey: Self {
        Self(.survey)
    }
}
nonisolated extension Answering where Screen == Kiosk.Screen, Answer == Bool {
    static var survey: Self { Self("survey") }
}
