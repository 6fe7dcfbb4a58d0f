#!/usr/bin/env bash
# Builds a package that depends on a tagged version of this one, as the packages of others do, with
# each of its library products. SwiftPM is stricter there than with a path: it refuses targets with
# unsafe flags, also of those that the products need.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/navstate" "$work/app"
# The files as they are, not as they were committed.
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T -) \
    | tar -x -C "$work/navstate"
git -C "$work/navstate" init -q
git -C "$work/navstate" add -A
git -C "$work/navstate" -c user.name=test -c user.email=test@example.com commit -q -m version
git -C "$work/navstate" tag 0.1.0
cp -r "$root/Examples/swift/Mirror" "$work/app"
mkdir "$work/app/Rules"
cat >"$work/app/Rules/main.swift" <<END
import NavstateRules
import NavstateTesting

let app = try AppDefinition(json: #"{"id":"a","tabs":[{"id":"t","routes":["r"]}],"routes":{"r":{}}}"#)
var session = try LocalSession(app)
try session.perform("navigate", #"{"route":"r"}"#)
guard session.json.contains(#""route":"r""#), Exploration(app).findings.isEmpty else {
    fatalError("the rules are not those of a server: \\(session.json)")
}
END
cat >"$work/app/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "app",
    platforms: [.macOS(.v14)],
    dependencies: [.package(url: "file://$work/navstate", from: "0.1.0")],
    targets: [
        .executableTarget(
            name: "Mirror",
            dependencies: [.product(name: "NavstateClient", package: "navstate")],
            path: "Mirror"),
        .executableTarget(
            name: "Rules",
            dependencies: [
                .product(name: "NavstateRules", package: "navstate"),
                .product(name: "NavstateTesting", package: "navstate"),
            ],
            path: "Rules"),
    ]
)
END
swift build --package-path "$work/app"
"$work/app/.build/debug/Rules"
