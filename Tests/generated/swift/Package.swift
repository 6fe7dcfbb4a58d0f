// swift-tools-version: 6.2
// A program that calls a server by the client that openapi-generator generates for Swift, which
// run.sh puts beside it.
import PackageDescription

let package = Package(
    name: "Calls",
    dependencies: [.package(path: "../navstate-swift")],
    targets: [
        .executableTarget(
            name: "Calls",
            dependencies: [.product(name: "Navstate", package: "navstate-swift")])
    ])
