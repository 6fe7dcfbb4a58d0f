#!/usr/bin/env python3
"""Makes unicode.h: the properties of characters that the standard library looks up, as runtime.c
needs them. It asks the tables of the toolchain, which has them for Linux on x86-64 and not for
WebAssembly; to be run again with a new toolchain.
"""

import pathlib
import shutil
import subprocess
import tempfile

ASK = r"""
#include <stdint.h>
#include <stdio.h>
extern uint8_t _swift_stdlib_getGeneralCategory(uint32_t);
extern uint64_t _swift_stdlib_getBinaryProperties(uint32_t);
extern uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t);
extern _Bool _swift_stdlib_isExtendedPictographic(uint32_t);
extern _Bool _swift_stdlib_isInCB_Consonant(uint32_t);
extern int32_t _swift_stdlib_getMapping(uint32_t, uint8_t);
int main(void) {
    for (uint32_t scalar = 0; scalar < 0x110000; scalar++) {
        if (scalar >= 0xD800 && scalar < 0xE000) continue;
        printf("%x %u %llu %u %u %u %d\n", scalar, _swift_stdlib_getGeneralCategory(scalar),
               (unsigned long long)_swift_stdlib_getBinaryProperties(scalar),
               _swift_stdlib_getGraphemeBreakProperty(scalar),
               _swift_stdlib_isExtendedPictographic(scalar), _swift_stdlib_isInCB_Consonant(scalar),
               _swift_stdlib_getMapping(scalar, 1));
    }
}
"""


def answers():
    work = tempfile.mkdtemp()
    try:
        toolchain = pathlib.Path(shutil.which("swiftc")).resolve().parent.parent
        tables = toolchain / "lib/swift/embedded/x86_64-unknown-linux-gnu/libswiftUnicodeDataTables.a"
        source = pathlib.Path(work, "ask.c")
        source.write_text(ASK, encoding="utf-8")
        subprocess.run(["clang", source, tables, "-o", f"{work}/ask"], check=True)
        lines = subprocess.run([f"{work}/ask"], capture_output=True, text=True, check=True).stdout
    finally:
        shutil.rmtree(work)
    for line in lines.splitlines():
        scalar, category, binary, grapheme, pictographic, consonant, lower = line.split()
        yield (int(scalar, 16), int(category), int(binary),
               (min(int(grapheme), 15), int(pictographic), int(consonant)), int(lower))


def table(name, values, kinds):
    """The first scalar of each range, with the index of its value in the lowest ten bits."""
    rows, last = [], None
    for scalar, value in values:
        if value != last:
            rows.append(f"0x{scalar << 10 | kinds.setdefault(value, len(kinds)):X}")
            last = value
    lines = [", ".join(rows[at:at + 8]) for at in range(0, len(rows), 8)]
    return f"static const uint32_t {name}[] = {{\n    " + ",\n    ".join(lines) + ",\n};\n"


def main():
    known = list(answers())
    text = "// Made by unicode.py of the tables of the toolchain.\n\n#include <stdint.h>\n\n"
    categories = {number: number for number in range(31)}
    text += table("categories", ((row[0], row[1]) for row in known), categories)
    sets = {}
    text += table("properties", ((row[0], row[2]) for row in known), sets)
    text += "static const uint64_t property_sets[] = {\n" + "".join(
        f"    0x{value:X},\n" for value in sets) + "};\n"
    kinds = {(a, b, c): a | b << 4 | c << 5 for a in range(16) for b in (0, 1) for c in (0, 1)}
    text += table("graphemes", ((row[0], row[3]) for row in known), kinds)
    distances = {}
    text += table("lowercase", ((row[0], row[4]) for row in known), distances)
    text += "static const int32_t distances[] = {" + ", ".join(map(str, distances)) + "};\n"
    pathlib.Path(__file__).with_name("unicode.h").write_text(text, encoding="utf-8")


main()
