import TestSupport
import Testing
import navstate

/// Durations and sizes as users type them.
@Suite struct QuantityTests {
    @Test(
        arguments: [
            ("0", 0), ("0s", 0), ("1ms", 1), ("500ms", 500), ("45s", 45_000), ("2m", 120_000),
            ("1h", 3_600_000), ("7d", 604_800_000), ("90S", 90_000), ("3MS", 3), ("007s", 7_000),
        ] as [(String, Int64)])
    func `a duration is a number with a unit`(text: String, milliseconds: Int64) {
        #expect(Duration.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "s", "5", "-1s", "+1s", "1.5s", "1 s", " 1s", "1s ", "1w", "1sec", "1m30s", "0x10s",
        "1000000000000000s", "999999999999999d", "１s",
    ])
    func `anything else is no duration`(text: String) {
        #expect(Duration.milliseconds(text) == nil)
    }

    @Test(
        arguments: [
            (0, "0s"), (1, "1ms"), (999, "999ms"), (1_000, "1s"), (1_500, "1500ms"),
            (60_000, "1m"), (61_000, "61s"), (3_600_000, "1h"), (86_400_000, "1d"),
            (90_000_000, "25h"),
        ] as [(Int64, String)])
    func `a duration is shown in the largest unit that divides it`(
        milliseconds: Int64, text: String
    ) {
        #expect(Duration.text(milliseconds: milliseconds) == text)
        #expect(Duration.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        ("0", 0), ("4096", 4_096), ("4096B", 4_096), ("32KiB", 32_768), ("32K", 32_768),
        ("64MiB", 67_108_864), ("64m", 67_108_864), ("1GiB", 1 << 30), ("1g", 1 << 30),
        ("1gib", 1 << 30),
    ])
    func `a size is a number of bytes or of their binary multiples`(text: String, bytes: Int) {
        #expect(Size.bytes(text) == bytes)
    }

    @Test(arguments: [
        "", "KiB", "1KB", "1kb", "1.5GiB", "-1", "1 MiB", "1TiB", "1000000000000000",
        "999999999999999GiB",
    ])
    func `anything else is no size`(text: String) { #expect(Size.bytes(text) == nil) }

    @Test(arguments: [
        (0, "0B"), (1, "1B"), (1_023, "1023B"), (1_024, "1KiB"), (1_536, "1536B"),
        (1 << 20, "1MiB"), (3 << 19, "1536KiB"), (1 << 30, "1GiB"),
    ])
    func `a size is shown in the largest unit that divides it`(bytes: Int, text: String) {
        #expect(Size.text(bytes: bytes) == text)
        #expect(Size.bytes(text) == bytes)
    }

    @Test func `the largest number of each unit is read, and one more digit is not`() {
        for (unit, factor) in [("ms", 1), ("s", 1_000), ("m", 60_000)] as [(String, Int64)] {
            let most: Int64 = 999_999_999_999_999
            let (product, overflows) = most.multipliedReportingOverflow(by: factor)
            #expect(Duration.milliseconds("\(most)\(unit)") == (overflows ? nil : product))
            #expect(Duration.milliseconds("\(most)9\(unit)") == nil)
        }
        for (unit, factor) in [("B", 1), ("KiB", 1 << 10), ("G", 1 << 30)] {
            let most = 999_999_999_999_999
            let (product, overflows) = most.multipliedReportingOverflow(by: factor)
            #expect(Size.bytes("\(most)\(unit)") == (overflows ? nil : product))
            #expect(Size.bytes("\(most)9\(unit)") == nil)
        }
    }

    @Test(.seeded) func `what is shown is read as the same again`() {
        var dice = SplitMix64()
        for _ in 0..<1_000 {
            let number = Int(dice.next() >> UInt64(15 + dice.below(49)))
            #expect(Size.bytes(Size.text(bytes: number)) == number)
            let milliseconds = Int64(number)
            let text = Duration.text(milliseconds: milliseconds)
            #expect(Duration.milliseconds(text) == milliseconds)
        }
    }
}
