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
    /// By default, a tab has the title and the icon that the app declares. While the view is on
    /// screen, it follows the session and opens deep links.
    public struct RemoteTabView<
        Screen: NavigationScreen, Content: View, TabLabel: View, Placeholder: View
    >: View {
        @Bindable private var router: Router<Screen>
        private let content: (Screen) -> Content
        private let label: (Nav.Tab) -> TabLabel
        private let placeholder: Placeholder

        /// Creates a view that shows the placeholder until there is a session to show.
        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content,
            @ViewBuilder label: @escaping (Nav.Tab) -> TabLabel,
            @ViewBuilder placeholder: () -> Placeholder
        ) {
            self.router = router
            self.content = content
            self.label = label
            self.placeholder = placeholder()
        }

        public var body: some View {
            Group {
                if router.isLoaded { tabs } else { placeholder }
            }
            .modifier(Following(router: router))
        }

        private var tabs: some View {
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
        }
    }

    extension View {
        fileprivate func tabBadge(_ badge: Nav.Badge?) -> some View {
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

    /// A tab as the app declares it.
    public struct DeclaredTabLabel: View {
        let title: String
        let icon: String?

        public var body: some View {
            if let icon { Label(title, systemImage: icon) } else { Text(title) }
        }
    }

    extension RemoteTabView where Placeholder == EmptyView {
        /// Creates a view with labels of your own.
        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content,
            @ViewBuilder label: @escaping (Nav.Tab) -> TabLabel
        ) {
            self.init(router, content: content, label: label) { EmptyView() }
        }
    }

    extension RemoteTabView where TabLabel == DeclaredTabLabel {
        /// Creates a view that shows the placeholder until there is a session to show.
        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content,
            @ViewBuilder placeholder: () -> Placeholder
        ) {
            self.init(
                router, content: content,
                label: { tab in
                    let declared = router.app?.tabs.first { $0.id == tab.id }
                    DeclaredTabLabel(
                        title: declared?.title ?? tab.id.capitalized, icon: declared?.icon)
                }, placeholder: placeholder)
        }
    }

    extension RemoteTabView where TabLabel == DeclaredTabLabel, Placeholder == EmptyView {
        /// Creates a view that shows nothing until there is a session to show.
        public init(
            _ router: Router<Screen>, @ViewBuilder content: @escaping (Screen) -> Content
        ) {
            self.init(router, content: content) { EmptyView() }
        }
    }
#endif
