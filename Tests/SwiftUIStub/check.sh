#!/usr/bin/env bash
# Type-checks NavstateClient's SwiftUI files and the example app against a stub of SwiftUI, which
# does not exist on Linux. Needs a debug build.
set -euo pipefail
cd "$(dirname "$0")/../.."
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
swiftc -emit-module -swift-version 6 -parse-as-library -module-name SwiftUI \
    -enable-upcoming-feature InternalImportsByDefault \
    -emit-module-path "$modules/SwiftUI.swiftmodule" Tests/SwiftUIStub/SwiftUI.swift
find Sources/NavstateClient -name '*.swift' -print0 | sort -z | xargs -0 \
    swiftc -emit-module -swift-version 6 -parse-as-library -module-name NavstateClient \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
    -enable-upcoming-feature MemberImportVisibility -warnings-as-errors -I "$modules" \
    -package-name "$(basename "$PWD" | tr A-Z a-z)" -I .build/debug/Modules -I Sources/CBytes \
    -emit-module-path "$modules/NavstateClient.swiftmodule"
# New apps of Xcode 26 are isolated to the main actor by default, older ones are not.
for isolation in nonisolated MainActor; do
    swiftc -typecheck -swift-version 6 -parse-as-library -warnings-as-errors -I "$modules" \
        -I .build/debug/Modules -I Sources/CBytes \
        -default-isolation "$isolation" Examples/swift/Kiosk/*.swift
done
echo "The SwiftUI files agree with the stub."
