internal import POSIX
package import Testing

// Randomness that can be repeated.
//
// A run of the tests has one seed. It is random unless NAVSTATE_SEED gives it, it is printed when
// the first test asks for it, and the trait `.seeded` adds it to each issue of its test. To repeat
// a run that failed:
//
//     NAVSTATE_SEED=123 swift test --filter "random faults"
//
// Most random tests make several worlds of that seed. NAVSTATE_WORLDS is how many of its worlds a
// test makes at most, so that a run of many seeds takes less time for each of them:
//
//     NAVSTATE_WORLDS=1 Tests/seeds.sh EnginePropertyTests

/// A generator of random numbers that are determined by its seed (SplitMix64).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator with a seed of its own: the same numbers in every run.
    package init(seed: UInt64) { state = seed }

    /// A generator with the seed of this run; different streams have different numbers.
    package init(stream: UInt64 = 0) {
        state = Self.seedOfRun &+ Self.mix(stream)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seed of this run: NAVSTATE_SEED, or a random one.
    package static let seedOfRun: UInt64 = {
        var seed = UInt64.random(in: 0..<1_000_000_000)
        if let text = Process.environment("NAVSTATE_SEED") {
            guard let given = UInt64(text) else {
                preconditionFailure("NAVSTATE_SEED is not a decimal number: \(text)")
            }
            seed = given
        }
        print("The seed of this run: NAVSTATE_SEED=\(seed)")
        return seed
    }()
}

extension SplitMix64 {
    /// The numbers of the worlds that a random test makes: all from 0 up to, but not including, the
    /// count, or as many as NAVSTATE_WORLDS says. The first of these depends on the seed.
    package static func worlds(_ count: Int) -> [Int] {
        guard let most = Environment.number("NAVSTATE_WORLDS"), most < count else {
            return Array(0..<count)
        }
        precondition(most > 0, "NAVSTATE_WORLDS is not a number of worlds: \(most)")
        let first = Int(seedOfRun % UInt64(count))
        return (0..<most).map { (first + $0) % count }
    }

    /// A number from 0 up to, but not including, the count.
    package mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// True once in so many times, on average.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// One of the elements, which must not be empty.
    package mutating func one<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

extension Trait where Self == IssueHandlingTrait {
    /// Adds the seed of this run to each issue of the test; for tests that use `SplitMix64()`.
    package static var seeded: Self {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("repeat with NAVSTATE_SEED=\(SplitMix64.seedOfRun)")
            return issue
        }
    }
}
