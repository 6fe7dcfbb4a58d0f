// swift-tools-version: 6.2
// A package that uses the client library of navstate. In your own package, give the library's URL
// instead of a path:
//
//     .package(url: "https://…/navstate.git", from: "0.2.0")
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
