// swift-tools-version: 6.2
// The targets. A target imports only targets above it in this list, and of those only the ones
// that are named on the right. `StyleTests` has the same table.
//
//   CBytes      memchr(3), memcmp(3), the processor's instruction for CRC-32C
//   CLinux      the Linux calls that the toolchain's Glibc module leaves out
//   Bytes       elementary operations on bytes; the only target with `unsafe`   (CBytes)
//               on memory
//   JSON        text <-> values, strict; JSON Schema and its patterns; merge    (Bytes)
//               patch
//   Navigation  the rules: navigation state, commands, events, apps, deep       (JSON Bytes)
//               links
//   Sessions    how sessions are kept: records, their JSON text, tokens, the    (Navigation JSON
//               interface of a store                                             Bytes)
//   HTTP        HTTP/1.1 as bytes <-> values, without I/O                       (Bytes)
//   NATS        the client protocol of NATS and JetStream as bytes <-> values,   (JSON Bytes)
//               without I/O
//   Assets      embedded files: the OpenAPI document, the pages, the demo's apps
//   API         every URL: request value -> result -> response value            (Sessions Navigation
//                                                                                JSON HTTP Assets
//                                                                                Bytes)
//   POSIX       system calls as safe values; the only target with `unsafe` on   (CLinux Bytes)
//               system calls
//   Cluster     the shared store: sessions in streams of NATS JetStream that      (NATS Sessions
//               several servers use                                              Navigation JSON
//                                                                                POSIX Bytes)
//   Storage     the log and its index                                           (Sessions Navigation
//                                                                                JSON POSIX Bytes)
//   Server      the event loop                                                  (all of the above
//                                                                                but Storage)
//   navstate    the executable: options, commands, exit codes                   (all of the above)
//   NavstateRules  the rules in process: an app, a session, and the states     (Sessions Navigation
//               that a session can reach; a library product                       JSON Bytes)
//   AppTools    app documents checked, drawn, imported, and turned into types   (NavstateRules
//                                                                                Navigation JSON
//                                                                                Bytes)
//   NavstateClient  the library for clients: the API as typed calls and          (NavstateRules,
//               streams, and a router for SwiftUI; also for Apple's platforms     JSON,
//                                                                                Foundation)
//   NavstateTesting  tests of an app without a server; a library product         (NavstateClient
//                                                                                NavstateRules)
//   TestSupport what tests share: a seed for each run, temporary directories,   (POSIX HTTP)
//               requests from text
//   ClusterModel  NATS servers with JetStream as a value of a test              (JSON POSIX
//                                                                                TestSupport)
//
// Declarations for other targets are `public`, although other packages can import only the
// products: the compiler inlines nothing across targets that is declared as `package`.
import PackageDescription

/// A release does not check at run time that no property is read or written while another piece of
/// code changes it; the compiler checks the rest, and the tests run with the checks. `.ci/run` also
/// kills a server that has them. The targets that other packages can depend on have no such flag.
let uncheckedExclusivity = SwiftSetting.unsafeFlags(
    ["-enforce-exclusivity=unchecked"], .when(configuration: .release))

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    uncheckedExclusivity,
]

/// Of what other packages can depend on: no unsafe flags. On platforms where this package is not
/// tested, a warning that only their SDK or compiler has must not stop the build.
let portable: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error, .when(platforms: [.linux])),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// In debug builds, too, with assertions and checks of exclusive access.
let optimized = SwiftSetting.unsafeFlags(
    ["-O", "-assert-config", "Debug"], .when(configuration: .debug))

func library(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A library that other packages can depend on, directly or not.
func portableLibrary(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: portable)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "navstate",
    platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .executable(name: "navstate", targets: ["navstate"]),
        .library(name: "NavstateClient", targets: ["NavstateClient"]),
        .library(name: "NavstateRules", targets: ["NavstateRules"]),
        .library(name: "NavstateTesting", targets: ["NavstateTesting"]),
    ],
    targets: [
        .systemLibrary(name: "CBytes"),
        .systemLibrary(name: "CLinux"),
        portableLibrary("Bytes", "CBytes"),
        portableLibrary("JSON", "Bytes"),
        portableLibrary("Navigation", "JSON", "Bytes"),
        portableLibrary("Sessions", "Navigation", "JSON", "Bytes"),
        library("HTTP", "Bytes"),
        library("NATS", "JSON", "Bytes"),
        .target(name: "Assets"),
        library("API", "Sessions", "Navigation", "JSON", "HTTP", "Assets", "Bytes"),
        library("POSIX", "CLinux", "Bytes"),
        library("Cluster", "NATS", "Sessions", "Navigation", "JSON", "POSIX", "Bytes"),
        library("Storage", "Sessions", "Navigation", "JSON", "POSIX", "Bytes"),
        library(
            "Server", "API", "HTTP", "JSON", "Navigation", "Sessions", "POSIX", "Bytes"),
        portableLibrary("NavstateRules", "Sessions", "Navigation", "JSON", "Bytes"),
        library("AppTools", "NavstateRules", "Navigation", "JSON", "Bytes"),
        .executableTarget(
            name: "navstate",
            dependencies: [
                "Server", "Storage", "Cluster", "API", "HTTP", "JSON", "Sessions", "Navigation",
                "POSIX", "Bytes", "AppTools", "NavstateRules", "Assets",
            ],
            swiftSettings: strict,
            // The runtime within the executable: a smaller process that starts sooner.
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
        portableLibrary("NavstateClient", "NavstateRules", "JSON"),
        portableLibrary("NavstateTesting", "NavstateClient", "NavstateRules"),
        .target(
            name: "TestSupport", dependencies: ["POSIX", "HTTP"], path: "Tests/Support",
            swiftSettings: strict),
        .target(
            name: "ClusterModel", dependencies: ["JSON", "POSIX", "TestSupport"],
            path: "Tests/ClusterModel", swiftSettings: strict),
        tests("BytesTests", "Bytes"),
        tests("JSONTests", "JSON", "Bytes", "TestSupport"),
        tests("NavigationTests", "Sessions", "Navigation", "JSON", "Bytes", "TestSupport"),
        tests("SessionsTests", "Sessions", "Navigation", "JSON", "Bytes", "TestSupport"),
        tests("HTTPTests", "HTTP", "Bytes", "TestSupport"),
        tests("NATSTests", "NATS", "JSON", "Bytes", "TestSupport"),
        tests(
            "ClusterTests", "Cluster", "Storage", "NATS", "Sessions", "Navigation", "JSON",
            "POSIX", "Bytes", "TestSupport", "ClusterModel"),
        tests("POSIXTests", "POSIX", "TestSupport"),
        tests(
            "APITests", "API", "NavstateRules", "Storage", "Sessions", "Navigation", "JSON", "HTTP",
            "POSIX", "Bytes", "TestSupport"),
        tests(
            "StorageTests", "Storage", "Sessions", "Navigation", "JSON", "POSIX", "Bytes",
            "TestSupport"),
        tests(
            "NavstateTests", "navstate", "API", "Server", "Storage", "Cluster", "Sessions",
            "Navigation", "JSON", "HTTP", "POSIX", "Bytes", "TestSupport"),
        tests(
            "NavstateRulesTests", "NavstateRules", "Sessions", "Navigation", "JSON", "Bytes",
            "TestSupport"),
        tests(
            "AppToolsTests", "AppTools", "NavstateRules", "Navigation", "JSON", "Bytes",
            "TestSupport"),
        // The executable is built for the tests, which start it as a process of its own.
        tests(
            "NavstateClientTests", "NavstateClient", "NavstateTesting", "NavstateRules", "navstate",
            "TestSupport"),
        tests(
            "ServerTests", "Server", "API", "Storage", "Sessions", "Navigation", "JSON", "HTTP",
            "POSIX",
            "TestSupport"),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Server", "API", "Storage", "Cluster", "Sessions", "Navigation", "HTTP", "POSIX",
                "TestSupport", "ClusterModel",
            ],
            // A run's judge looks through everything that the server says. Unoptimized, that and
            // the simulated machine take a fifth of the time of 2,000 runs.
            swiftSettings: strict + [optimized]),
    ],
    cLanguageStandard: .c2x
)
