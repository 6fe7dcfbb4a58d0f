#!/usr/bin/env bash
# Type-checks NavstateClient's SwiftUI files and the example app against a stub of SwiftUI, which
# does not exist on Linux.
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
    -emit-module-path "$modules/NavstateClient.swiftmodule"
swiftc -typecheck -swift-version 6 -parse-as-library -warnings-as-errors -I "$modules" \
    Examples/swift/Kiosk/Kiosk.swift
# New projects of Xcode isolate everything to the main actor unless told otherwise.
swiftc -typecheck -swift-version 6 -parse-as-library -warnings-as-errors -I "$modules" \
    -default-isolation MainActor Examples/swift/Kiosk/Kiosk.swift
echo "The SwiftUI files agree with the stub."
