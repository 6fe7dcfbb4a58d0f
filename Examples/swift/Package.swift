// swift-tools-version: 6.2
// A package that depends on navstate for its client, as yours would by URL:
//
//     .package(url: "https://…/navstate.git", from: "0.1.0")
import PackageDescription

let package = Package(
    name: "navstate-examples",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    dependencies: [.package(name: "navstate", path: "../..")],
    targets: [
        .executableTarget(
            name: "Mirror",
            dependencies: [.product(name: "NavstateClient", package: "navstate")],
            path: "Mirror"),
        .executableTarget(
            name: "Kiosk",
            dependencies: [.product(name: "NavstateClient", package: "navstate")],
            path: "Kiosk"),
    ]
)
