#if canImport(SwiftUI)
    public import SwiftUI

    /// A `NavigationStack` that shows the path of a tab or a sheet of a session.
    ///
    /// `RemoteTabView` contains one for each tab. Use it on its own if your app arranges its tabs
    /// differently; you then have to present the sheets and call `router.run()` yourself.
    public struct RemoteNavigationStack<Screen: NavigationScreen, Content: View>: View {
        @Bindable private var router: Router<Screen>
        private let container: String
        private let root: Screen?
        private let content: (Screen) -> Content

        /// Creates a stack for the tab or sheet with this id, on top of the root screen.
        public init(
            _ router: Router<Screen>, in container: String, root: Screen?,
            @ViewBuilder content: @escaping (Screen) -> Content
        ) {
            self.router = router
            self.container = container
            self.root = root
            self.content = content
        }

        /// The root screen with the screens pushed onto it.
        public var body: some View {
            NavigationStack(path: $router[container]) {
                Group {
                    if let root { declared(root) }
                }
                .navigationDestination(for: Screen.self) { screen in
                    // A locked screen stays; without the button it cannot be swiped away either.
                    declared(screen).navigationBarBackButtonHidden(!router.canPop(container))
                }
            }
        }

        /// The screen with what the app declares for it. The title stands beside the screen, so
        /// that a title of the screen's own comes first.
        private func declared(_ screen: Screen) -> some View {
            let titled = content(screen).background {
                if let title = router.title(of: screen) { EmptyView().navigationTitle(title) }
            }
            #if os(macOS) || os(watchOS)
                // These platforms have no bar of tabs.
                return titled
            #else
                let bar = router.hidesTabBar(screen) ? Visibility.hidden : .automatic
                return titled.toolbar(bar, for: .tabBar)
            #endif
        }
    }

    /// Presents the sheet, cover, popover, inspector or dialog above `level` others, and the next
    /// one on top of it.
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
            // The screen that is there now. SwiftUI may set nil for it only after another one has
            // taken its place, and that one must stay.
            let screens = router.presentedScreens
            let id = screens.indices.contains(level) ? screens[level].id : ""
            let sheet = $router[presented: level, .sheet, id: id]
            let cover = $router[presented: level, .fullScreenCover, id: id]
            let presenting = view.sheet(item: sheet) { stack($0) }
                .modifier(PresentedDialogs(router: router, level: level))
            #if os(tvOS) || os(watchOS)
                // These platforms have neither popovers nor inspectors.
                let popover = $router[presented: level, .popover, id: id]
                let inspector = $router[presented: level, .inspector, id: id]
                return presenting.fullScreenCover(item: cover) { stack($0) }
                    .sheet(item: popover) { stack($0) }.sheet(item: inspector) { stack($0) }
            #elseif os(macOS)
                // The Mac has no full-screen covers.
                return beside(presenting.sheet(item: cover) { stack($0) }, id: id)
            #else
                return beside(presenting.fullScreenCover(item: cover) { stack($0) }, id: id)
            #endif
        }

        /// With the popover and the inspector at this level.
        private func beside(_ view: some View, id: String) -> some View {
            view.popover(item: $router[presented: level, .popover, id: id]) { stack($0) }
                .inspector(isPresented: $router[inspector: level, id: id]) {
                    if let inspector = router.presented(at: level, style: .inspector) {
                        stack(inspector)
                    }
                }
        }

        private func stack(_ presented: PresentedScreen<Screen>) -> some View {
            RemoteNavigationStack(
                router, in: presented.id, root: presented.screen, content: content
            )
            .modifier(PresentedScreens(router: router, level: level + 1, content: content))
            .interactiveDismissDisabled(!presented.isDismissible)
            .presentationDetents(Self.detents(presented.detents))
        }

        /// SwiftUI needs at least one detent. Its default is the large one.
        private static func detents(_ names: [String]) -> Set<PresentationDetent> {
            let detents = names.compactMap(detent)
            return detents.isEmpty ? [.large] : Set(detents)
        }

        private static func detent(_ name: String) -> PresentationDetent? {
            let parts = name.split(separator: ":")
            let value = parts.last.flatMap { Double($0) }
            return switch (parts.first, value) {
            case ("medium", nil): .medium
            case ("large", nil): .large
            case ("fraction", let value?): .fraction(value)
            case ("height", let value?): .height(value)
            default: nil
            }
        }
    }
#endif
