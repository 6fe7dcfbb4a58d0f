#if canImport(SwiftUI)
    public import SwiftUI

    /// A `NavigationStack` whose path is that of a tab or a sheet of a session.
    ///
    /// `RemoteTabView` has one for each tab. Use it by itself if your app arranges its tabs
    /// otherwise; then present the sheets and call `router.run()` yourself.
    public struct RemoteNavigationStack<Screen: NavigationScreen, Content: View>: View {
        @Bindable private var router: Router<Screen>
        private let container: String
        private let root: Screen?
        private let content: (Screen) -> Content

        /// A stack for the tab or sheet with this id, above the root screen.
        public init(
            _ router: Router<Screen>, in container: String, root: Screen?,
            @ViewBuilder content: @escaping (Screen) -> Content
        ) {
            self.router = router
            self.container = container
            self.root = root
            self.content = content
        }

        /// The root screen with what is pushed on it.
        public var body: some View {
            NavigationStack(path: $router[container]) {
                Group {
                    if let root { content(root) }
                }
                .navigationDestination(for: Screen.self) { screen in content(screen) }
            }
        }
    }

    /// Presents the sheet or full-screen cover above `level` others, and on it the next one.
    struct PresentedScreens<Screen: NavigationScreen, Presented: View>: ViewModifier {
        @Bindable var router: Router<Screen>
        let level: Int
        let content: (Screen) -> Presented

        init(router: Router<Screen>, level: Int, content: @escaping (Screen) -> Presented) {
            self.router = router
            self.level = level
            self.content = content
        }

        func body(content view: Content) -> some View {
            // What is there now. SwiftUI may write nil for it after something else has taken its
            // place, which must stay.
            let screens = router.presentedScreens
            let id = screens.indices.contains(level) ? screens[level].id : ""
            let sheet = $router[presented: level, .sheet, id: id]
            let cover = $router[presented: level, .fullScreenCover, id: id]
            #if os(macOS)
                // There are no full-screen covers on the Mac.
                return view.sheet(item: sheet) { stack($0) }.sheet(item: cover) { stack($0) }
            #else
                return view.sheet(item: sheet) { stack($0) }
                    .fullScreenCover(item: cover) { stack($0) }
            #endif
        }

        private func stack(_ presented: PresentedScreen<Screen>) -> some View {
            RemoteNavigationStack(
                router, in: presented.id, root: presented.screen, content: content
            )
            .modifier(PresentedScreens(router: router, level: level + 1, content: content))
            .interactiveDismissDisabled(!presented.isDismissible)
            .presentationDetents(Self.detents(presented.detents))
        }

        /// SwiftUI needs at least one detent, and by default uses the large one.
        private static func detents(_ names: [String]) -> Set<PresentationDetent> {
            let detents = names.compactMap(detent)
            return detents.isEmpty ? [.large] : Set(detents)
        }

        private static func detent(_ name: String) -> PresentationDetent? {
            switch name {
            case "medium": .medium
            case "large": .large
            default: nil
            }
        }
    }
#endif
