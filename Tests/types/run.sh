#!/usr/bin/env bash
# Compiles the types that `navstate app generate` makes of the example apps and of a hostile one,
# with programs that use them:
#
#     run.sh NAVSTATE MODULES
#
# MODULES is the folder of a build that has NavstateClient.swiftmodule. A renamed route has to break
# every use, and nothing else. Needs swiftc and tsc.
set -euo pipefail
navstate=$(realpath "$1")
modules=$(realpath "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
apps="chat hierarchy routers shop social"

generate() { "$navstate" app generate "$@" >/dev/null; }

compile() {
    swiftc -swift-version 6 -warnings-as-errors -typecheck -module-name Uses "${features[@]}" \
        -I "$modules" -I Sources/CBytes "$@"
}
features=()

# Swift
for app in $apps; do
    generate swift "Examples/apps/$app.json" -o "$work/$app.swift" --mocks "$work/${app}Mocks.swift"
    generate swift "Examples/apps/$app.json" -o "$work/$app.swift" --check
done
compile "$work"/*.swift Tests/types/Uses.swift

sed 's/"delivery"/"shipping"/g' Examples/apps/shop.json >"$work/renamed.json"
generate swift "$work/renamed.json" -o "$work/shop.swift"
compile "$work"/*.swift Tests/types/Uses.swift >"$work/errors" 2>&1 || true
found=$(grep -oE '^[^ ]*:[0-9]+:[0-9]+: error' "$work/errors" | cut -d: -f1,2 | sort -u)
wanted=$(grep -n '// delivery$' Tests/types/Uses.swift | sed 's/^\([0-9]*\).*/Tests\/types\/Uses.swift:\1/' | sort -u)
if [ "$(sed 's/.*Tests/Tests/' <<<"$found")" != "$wanted" ]; then
    echo "a renamed route breaks these lines:"
    cat "$work/errors"
    exit 1
fi

mkdir "$work/hostile" "$work/public"
generate swift Tests/types/hostile.json -o "$work/hostile/a.swift" --mocks "$work/hostile/b.swift" 2>/dev/null
compile "$work"/hostile/*.swift

# Names that code declares itself, nulls, titles and links: compiled, and run.
mkdir "$work/names"
generate swift Tests/types/names.json -o "$work/names/Names.swift" --mocks "$work/names/Mocks.swift"
compile "$work"/names/*.swift
rm "$work/names/Mocks.swift"
cp Tests/types/Values.swift "$work/names/main.swift"
swiftc -swift-version 6 -module-name Values -I "$modules" -I Sources/CBytes -o "$work/values" \
    "$work"/names/*.swift "$modules"/../{NavstateClient,NavstateRules,JSON,Navigation,Sessions,Bytes}.build/*.o
diff Tests/types/values.txt <("$work/values")
generate swift Examples/apps/shop.json -o "$work/public/shop.swift" --access public --name Store --no-document
features=(-enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility)
compile "$work/public/shop.swift"

generate swift Examples/swift/kiosk.json -o Examples/swift/Kiosk/KioskScreens.swift --check

# TypeScript
for app in $apps; do
    generate typescript "Examples/apps/$app.json" -o "$work/$app.ts" --links
done
generate typescript Tests/types/hostile.json -o "$work/hostile.ts" --links
generate typescript Tests/types/names.json -o "$work/names.ts" --links
cp Sources/Assets/web/navstate.d.ts Tests/types/uses.ts "$work"
check() { (cd "$work" && tsc --noEmit --strict --target es2020 --module es2020 --moduleResolution node "$@"); }
check $(cd "$work" && ls -- *.ts)
sed 's/"contactDetail"/"contactCard"/g' Examples/apps/chat.json >"$work/renamed.json"
generate typescript "$work/renamed.json" -o "$work/chat.ts"
check uses.ts >"$work/errors" || true
found=$(grep -o '^uses.ts([0-9]*' "$work/errors" | cut -d'(' -f2 | sort -u)
wanted=$(grep -n '// contactDetail$' Tests/types/uses.ts | cut -d: -f1 | sort -u)
if [ "$found" != "$wanted" ]; then
    echo "a renamed route breaks these lines:"
    cat "$work/errors"
    exit 1
fi
echo "generated types: all compiled"
