#if canImport(SwiftUI)
    import SwiftUI

    /// Shows the alert or the confirmation dialog over the screen at a level, if it is the top one.
    struct PresentedDialogs<Screen: NavigationScreen>: ViewModifier {
        @Bindable var router: Router<Screen>
        let level: Int

        init(router: Router<Screen>, level: Int) {
            self.router = router
            self.level = level
        }

        func body(content: Content) -> some View {
            let dialog = router.dialog
            let title = Text(dialog?.title ?? "")
            content
                .alert(
                    title, isPresented: $router[dialog: level, .alert], presenting: dialog,
                    actions: buttons, message: message
                )
                .confirmationDialog(
                    title, isPresented: $router[dialog: level, .confirmationDialog],
                    titleVisibility: .visible, presenting: dialog, actions: buttons,
                    message: message)
        }

        private func buttons(of dialog: PresentedDialog) -> some View {
            ForEach(dialog.buttons) { button in
                Button(role: Self.role(button.role)) {
                    router.press(button, of: dialog)
                } label: {
                    Text(button.title)
                }
            }
        }

        private func message(of dialog: PresentedDialog) -> some View {
            dialog.message.map { Text($0) }
        }

        private static func role(_ role: DialogButtonRole?) -> ButtonRole? {
            if role == .cancel { return .cancel }
            return role == .destructive ? .destructive : nil
        }
    }
#endif
