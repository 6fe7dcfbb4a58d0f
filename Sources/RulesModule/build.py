#!/usr/bin/env python3
"""Makes Sources/Assets/web/rules.wasm.gz and rules.wasm.br of the targets of NavstateRules:

    build.py [--check | --fresh]

It needs the Swift toolchain, whose Embedded Swift knows WebAssembly, wasm-opt of Debian's package
binaryen, and brotli, and takes a few minutes. The files are part of the repository, so that a build
of the server needs none of these.

`--check` makes them again and compares. `--fresh` compares only the digest of the sources, which the
module contains; both write nothing.
"""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from memory32 import leb, with_memory32

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
#: For everybody, and for those who take Brotli.
RESULT = ROOT / "Sources/Assets/web/rules.wasm.gz"
SHORTER = ROOT / "Sources/Assets/web/rules.wasm.br"
#: In the order in which they are compiled. The last one contains the code of the others.
TARGETS = ["Bytes", "JSON", "Navigation", "Sessions", "NavstateRules", "RulesModule"]
#: WebAssembly with 64-bit integers, as in the server. See memory32.py.
TRIPLE = "wasm64-unknown-none-wasm"
#: The code is made for another machine with 64 bits, for which Embedded Swift is in use, and then
#: compiled for WebAssembly.
LAYOUT = "aarch64-none-none-elf"
SECTION = b"navstate-sources"
#: The size as it is sent to browsers, which a page waits for.
BYTES_MAX = 450 * 1024

C_OPTIONS = ["-ffreestanding", "-nostdlibinc", "-fno-stack-protector",
             "-ISources/RulesModule/include"]
#: Parts of the names of functions that are called in hundreds of places: the appends of strings and
#: arrays, the number of bytes of a string, and the faults of readers.
NEVER_INLINED = ["SS6append", "StringGutsV6append", "Sa6append", "SS8UTF8ViewV5count",
                 "ObjectReaderV6refuse"]
#: The same for functions of the runtime, which are inlined later.
RUNTIME = ["swift_retain", "swift_retain_n", "swift_release", "swift_once",
           "swift_bridgeObjectRetain", "swift_bridgeObjectRetain_n", "swift_bridgeObjectRelease"]
SWIFT_OPTIONS = [
    "-target", LAYOUT, "-enable-experimental-feature", "Embedded", "-wmo", "-parse-as-library",
    "-Osize", "-enforce-exclusivity=unchecked", "-package-name", "navstate",
    *(word for name in NEVER_INLINED
      for word in ("-Xllvm", f"-sil-inline-never-functions={name}")),
    "-enable-upcoming-feature", "ExistentialAny",
    "-enable-upcoming-feature", "InternalImportsByDefault",
    "-enable-upcoming-feature", "MemberImportVisibility",
    *(word for option in C_OPTIONS for word in ("-Xcc", option)),
    "-I", "Sources/CBytes", "-I", "Sources/RulesModule/include"]
CLANG = ["clang", "-target", TRIPLE, *C_OPTIONS, "-Wno-unused-command-line-argument",
         "-mbulk-memory", "-ffunction-sections", "-fdata-sections", "-fno-pic", "-Oz"]
#: Twice, and without moving functions into their callers, compresses best. The features are those
#: that the toolchain makes use of, and all browsers have.
WASM_OPTIONS = ["-Oz", "-Oz", "--one-caller-inline-max-function-size=0", "--enable-bulk-memory",
                "--enable-mutable-globals", "--enable-nontrapping-float-to-int",
                "--enable-sign-ext"]
EXPORTS = ["app", "session", "change", "read", "explore", "release", "input_address",
           "answer_address", "answer_length"]


def sources():
    folders = [ROOT / "Sources" / name for name in ["CBytes", *TARGETS]]
    return sorted(path for folder in folders for path in folder.rglob("*")
                  if path.suffix in (".swift", ".c", ".h", ".modulemap", ".py"))


def digest():
    """Of the sources, by their paths and their bytes."""
    whole = hashlib.sha256()
    for path in sources():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(ROOT)} {content}\n".encode())
    return whole.hexdigest().encode()


def run(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # Of thousands of lines, the errors.
        lines = (done.stdout + done.stderr).splitlines()
        raise SystemExit("\n".join([line for line in lines if "error" in line][:40] or lines[-40:]))


def for_wasm(text):
    """The code for the other machine, as code for WebAssembly."""
    empty = subprocess.run([*CLANG, "-x", "c", "-S", "-emit-llvm", os.devnull, "-o", "-"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout
    for name in ("datalayout", "triple"):
        line = re.compile(rf'^target {name} = ".*"$', re.M)
        text = line.sub(line.search(empty).group(), text)
    # swift_bridgeObjectRetain is declared to return what it was given, and returns the object without
    # the bits of a short string. Only the compiler for WebAssembly goes by the declaration.
    text = re.sub(r"(@swift_bridgeObjectRetain\(ptr)([a-z ]*) returned", r"\1\2", text)
    for name in RUNTIME:
        text, count = re.subn(rf"^(define .*@{name}\(.*\)) ", r"\1 noinline ", text, flags=re.M)
        assert count == 1, name
    # Nobody else sees the functions and variables, so that the compiler may change and remove them.
    text = re.sub(r'^(define|@"?[^=\n]*=) (?:linkonce_odr|weak_odr)(?: hidden| protected)',
                  r"\1 internal", text, flags=re.M)
    text = re.sub(r"^(attributes #.*) ssp(?:strong|req)?\b", r"\1", text, flags=re.M)
    return re.sub(r' "(target-cpu|target-features|frame-pointer|probe-stack)"="[^"]*"', "", text)


def compiled(work):
    """The module as the linker makes it."""
    for target in TARGETS:
        files = sorted((ROOT / "Sources" / target).rglob("*.swift"))
        # The exported functions have variables of the module, which has one thread.
        result = (["-swift-version", "5", "-emit-ir", "-o", f"{work}/rules.ll",
                   "-Xfrontend", "-disable-llvm-optzns"]
                  if target == "RulesModule" else
                  ["-swift-version", "6", "-emit-module",
                   "-emit-module-path", f"{work}/{target}.swiftmodule"])
        run("swiftc", *SWIFT_OPTIONS, *result, "-I", work, "-module-name", target,
            *(str(file.relative_to(ROOT)) for file in files))
    code = pathlib.Path(f"{work}/rules.ll")
    code.write_text(for_wasm(code.read_text(encoding="utf-8")), encoding="utf-8")
    run(*CLANG, "-Wno-override-module", "-c", str(code), "-o", f"{work}/rules.o")
    run(*CLANG, "-std=c2x", "-Wall", "-Werror", "-c", "Sources/RulesModule/runtime.c",
        "-o", f"{work}/runtime.o")
    # The stack is at the start of the memory, so that one that is too deep ends the call.
    run("wasm-ld", "-mwasm64", "--no-entry", "--gc-sections", "--strip-all", "--stack-first",
        "-z", f"stack-size={2 << 20}", *(f"--export=rules_{name}" for name in EXPORTS),
        f"{work}/rules.o", f"{work}/runtime.o", "-o", f"{work}/rules.wasm")
    return pathlib.Path(f"{work}/rules.wasm").read_bytes()


def brotli(content, *options):
    return subprocess.run(["brotli", *options, "--stdout"], input=content, capture_output=True,
                          check=True).stdout


def module():
    work = tempfile.mkdtemp()
    try:
        plain, shorter = f"{work}/plain.wasm", f"{work}/shorter.wasm"
        pathlib.Path(plain).write_bytes(with_memory32(compiled(work)))
        run("wasm-opt", *WASM_OPTIONS, plain, "-o", shorter)
        module = pathlib.Path(shorter).read_bytes()
    finally:
        shutil.rmtree(work)
    named = leb(len(SECTION)) + SECTION + digest()
    return module + b"\0" + leb(len(named)) + named


def main():
    old = gzip.decompress(RESULT.read_bytes()) if RESULT.exists() else b""
    advice = f"{RESULT.relative_to(ROOT)} is out of date: run Sources/RulesModule/build.py"
    if sys.argv[1:] == ["--fresh"]:
        return 0 if old.endswith(SECTION + digest()) else advice
    start = time.monotonic()
    new = module()
    packed = gzip.compress(new, 9, mtime=0)
    shorter = brotli(new, "--quality=11", "--lgwin=22")
    if len(shorter) > BYTES_MAX:
        return f"The module has {len(shorter):,} bytes, which are too many."
    if sys.argv[1:] == ["--check"]:
        return 0 if new == old == brotli(SHORTER.read_bytes(), "--decompress") else advice
    if new != old:
        RESULT.write_bytes(packed)
    SHORTER.write_bytes(shorter)
    print(f"{len(new):,} bytes, compressed {len(packed):,}, with Brotli {len(shorter):,}, "
          f"in {time.monotonic() - start:.0f} s")
    return 0


sys.exit(main())
