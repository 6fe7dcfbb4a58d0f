// swift-tools-version: 6.2
// The map. Arrows only run downwards: a room imports rooms that stand above it in this list, and
// only those that are named. Whoever wants another arrow changes the design first.
//
//   CLinux      the Linux calls that the toolchain's Glibc module leaves out
//   JSON        text <-> values, strict; JSON Schema and its patterns; merge patch
//   Navigation  the rule book: sessions, commands, events, apps, deep links    (JSON)
//   HTTP        HTTP/1.1 as bytes <-> values, without I/O
//   Assets      embedded files: the OpenAPI document, the pages
//   API         every URL: request value -> result -> response value          (Navigation HTTP Assets)
//   POSIX       system calls as safe values; the only room with `unsafe`,     (CLinux)
//               but for one file of JSON, which says why
//   Storage     the journal and its index                                     (Navigation POSIX)
//   Server      the event loop                                                (all of the above)
//   navstate    the executable: options, verbs, exit codes                    (all of the above)
//   TestSupport what tests share: a seed for each run, temporary directories  (POSIX)
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

func room(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "navstate",
    products: [.executable(name: "navstate", targets: ["navstate"])],
    targets: [
        .systemLibrary(name: "CLinux"),
        room("JSON"),
        room("Navigation", "JSON"),
        room("HTTP"),
        .target(name: "Assets"),
        room("API", "Navigation", "JSON", "HTTP", "Assets"),
        room("POSIX", "CLinux"),
        room("Storage", "Navigation", "JSON", "POSIX"),
        room("Server", "API", "HTTP", "JSON", "Navigation", "POSIX", "Storage"),
        .executableTarget(
            name: "navstate",
            dependencies: ["Server", "Storage", "API", "HTTP", "JSON", "Navigation", "POSIX"],
            swiftSettings: strict,
            // The runtime within the executable: a smaller process that starts sooner.
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
        .target(
            name: "TestSupport", dependencies: ["POSIX"], path: "Tests/Support",
            swiftSettings: strict),
        tests("JSONTests", "JSON", "TestSupport"),
        tests("NavigationTests", "Navigation", "JSON", "TestSupport"),
        tests("HTTPTests", "HTTP", "TestSupport"),
        tests("APITests", "API", "Navigation", "JSON", "HTTP"),
        tests("StorageTests", "Storage", "Navigation", "JSON", "POSIX", "TestSupport"),
        tests("NavstateTests", "navstate", "Server", "Storage", "POSIX"),
        tests("ServerTests", "Server", "API", "Storage", "Navigation", "JSON", "HTTP", "POSIX"),
    ],
    cLanguageStandard: .c2x
)
