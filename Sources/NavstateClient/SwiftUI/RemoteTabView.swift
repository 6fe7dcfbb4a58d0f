#if canImport(SwiftUI)
    import Foundation
    public import SwiftUI

    /// A `TabView` that shows the tabs, paths and sheets of a session.
    ///
    /// ```swift
    /// RemoteTabView(router) { screen in
    ///     ScreenView(screen: screen)
    /// } label: { tab in
    ///     Label(tab.id.capitalized, systemImage: "circle")
    /// }
    /// ```
    ///
    /// While the view is on screen, it follows the session and opens deep links.
    public struct RemoteTabView<Screen: NavigationScreen, Content: View, TabLabel: View>: View {
        @Bindable private var router: Router<Screen>
        private let content: (Screen) -> Content
        private let label: (Tab) -> TabLabel

        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content,
            @ViewBuilder label: @escaping (Tab) -> TabLabel
        ) {
            self.router = router
            self.content = content
            self.label = label
        }

        public var body: some View {
            TabView(selection: $router.selectedTab) {
                ForEach(router.tabs) { tab in
                    RemoteNavigationStack(
                        router, in: tab.id, root: router.root(of: tab.id), content: content
                    )
                    .tabItem { label(tab) }
                    .tabBadge(tab.badge)
                    .tag(tab.id)
                }
            }
            .modifier(PresentedScreens(router: router, level: 0, content: content))
            .modifier(Following(router: router))
        }
    }

    extension View {
        fileprivate func tabBadge(_ badge: Badge?) -> some View {
            #if os(tvOS) || os(watchOS)
                // These platforms have no badges.
                self
            #else
                self.badge(badge.map { Text($0.text) })
            #endif
        }
    }

    /// Connects a router while a view is on screen.
    private struct Following<Screen: NavigationScreen>: ViewModifier {
        let router: Router<Screen>

        func body(content: Content) -> some View {
            content
                .onOpenURL { url in router.open(url) }
                .task { await router.run() }
        }
    }

    extension RemoteTabView where TabLabel == Text {
        /// Creates a view whose tabs are labelled with their names.
        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content
        ) {
            self.init(router, content: content) { tab in Text(tab.id.capitalized) }
        }
    }
#endif
