// A complete app that can be controlled remotely. In Xcode, create an app for iOS 17 or macOS 14,
// add the package navstate, and replace the file that contains the template's `@main` type with
// this one. On a Mac, check "Outgoing Connections (Client)" under App Sandbox. On a device,
// 127.0.0.1 is the device itself, so put the address of your server below; if the server does not
// use HTTPS, allow HTTP for it in the app's transport security settings. Then, before or after
// starting the app, run these commands on the computer where the server runs:
//
//     navstate app put Examples/swift/kiosk.json
//     curl --json '{"id":"kiosk-1","app":"kiosk"}' localhost:8080/v1/sessions
//     curl --json '{"route":"product","params":{"id":"42"}}' localhost:8080/v1/sessions/kiosk-1/navigate
//     curl --json '{"route":"survey"}' localhost:8080/v1/sessions/kiosk-1/present
//
// KioskScreens.swift is generated from the document of the app:
//
//     navstate app generate swift Examples/swift/kiosk.json -o Examples/swift/Kiosk/KioskScreens.swift
#if canImport(SwiftUI)
    import Foundation
    import NavstateClient
    import SwiftUI

    @main
    struct KioskApp: App {
        @State private var router = Router<Kiosk.Screen>(
            Navstate(url: URL(string: "http://127.0.0.1:8080")!).session("kiosk-1"))

        var body: some Scene {
            WindowGroup {
                RemoteTabView(router) { screen in
                    ScreenView(screen: screen)
                }
                .environment(router)
            }
        }
    }

    struct ScreenView: View {
        @Environment(Router<Kiosk.Screen>.self) private var router
        let screen: Kiosk.Screen

        var body: some View {
            switch screen {
            case .home:
                List {
                    Button("Tea") { router.navigate(to: .product(id: "tea")) }
                    Button("Ask me something") { router.present(.survey) }
                    if router.connection != .live { Text("Not connected") }
                }
            case .offers:
                Button("Today's offer") { router.navigate(to: .product(id: "42")) }
            case .product(let id):
                VStack {
                    Text("Product \(id)")
                    Button("Back to the start") { router.navigateToRoot() }
                }
            case .survey:
                VStack {
                    Text("Do you like it here?")
                    Button("Yes") { router.answer(.survey, true) }
                    Button("No") { router.answer(.survey, false) }
                }
            }
        }
    }
#else
    @main
    struct KioskApp {
        static func main() { print("The kiosk needs SwiftUI, which does not exist here.") }
    }
#endif
