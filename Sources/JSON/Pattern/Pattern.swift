// Pattern: the regular expressions of ECMA-262 with the `u` flag, for `pattern` in a schema.
//
// A pattern comes from the author of an app and the text from the sender of a command; both may be
// hostile. A pattern is therefore parsed with bounded recursion, compiled to a small program, and
// run by a matcher that counts its steps and keeps its choices on a stack of its own. No pattern
// and no text can exceed the steps or overflow the call stack.
//
//  1. Matching works on Unicode scalars and searches the whole text. `^` and `$` match only at the
//     start and the end of the text, since no flag but `u` is set.
//  2. As `u` requires, whatever is not in the grammar is an error and not a literal: `{`, `}` or
//     `]` alone, escapes of letters without a meaning, `\-` outside a class, ranges that end in a
//     class.
//  3. `\d`, `\w` and `\b` are limited to ASCII; `\s` is the white space of ECMA-262 with its line
//     terminators.
//  4. As in ECMA-262, captures are cleared at the start of each repetition.
//  5. Not supported, and named in the error: `\p{Script=…}` (the standard library does not know
//     scripts), inline flags `(?i:…)`, two groups with the same name.
//
//     PatternParser  text → `PatternNode` tree      PatternProgram  tree → instructions
//     ScalarSet      classes and their escapes      PatternMatcher  instructions + text → result
//
//     let pattern = try Pattern("^(a+)+$")
//     pattern.matches("aaaa")                                             // .matches
//     pattern.matches(String(repeating: "a", count: 40) + "b")            // .tookTooLong

internal import Bytes

/// A compiled regular expression.
public struct Pattern: Sendable {
    /// The result of a search.
    public enum Result: Sendable, Equatable {
        case matches, doesNotMatch
        /// The steps were used up before the result was known.
        case tookTooLong
    }

    /// The maximum length of a pattern in scalars, far more than is readable.
    public static let lengthMax = 2_000
    /// The largest number in `{n,m}`: the maximum size of a body in bytes.
    public static let repeatsMax = 1_048_576
    /// The maximum nesting depth of groups, which bounds the recursion of the parser.
    public static let nestingMax = 50
    /// The steps of one search, of about 10 ns each, in addition to `stepsForScalar`.
    public static let stepsMax = 100_000
    /// The additional steps for each byte of the text, so that a pattern that reads each character
    /// a few times does not fail for a long text.
    public static let stepsForScalar = 8

    /// The text of the pattern.
    public let source: String
    let program: PatternProgram

    /// Compiles a pattern.
    public init(_ source: String) throws(PatternError) {
        var parser = PatternParser(source)
        let tree = try parser.parse()
        self.source = source
        program = PatternProgram(tree, groups: parser.groupCount, names: parser.names)
    }

    /// Searches for the pattern anywhere in the text.
    public func matches(_ text: String, stepsMax: Int = Pattern.stepsMax) -> Result {
        var steps = stepsMax + text.utf8.count * Self.stepsForScalar
        return matches(text, steps: &steps)
    }

    /// Searches and takes the steps from a budget. The search may take too long even if the budget
    /// is not used up.
    func matches(_ text: String, work: WorkBudget) throws(WorkBudgetError) -> Result {
        let most = Self.stepsMax + text.utf8.count * Self.stepsForScalar
        let allowed = min(most, work.unitsLeft)
        var left = allowed
        let result = matches(text, steps: &left)
        try work.spend(.steps(allowed - left))
        if result == .tookTooLong, allowed < most { throw WorkBudgetError() }
        return result
    }

    /// Searches and subtracts the steps from those that are left.
    public func matches(_ text: String, steps: inout Int) -> Result {
        var matcher = PatternMatcher(program, Array(text.unicodeScalars), steps: steps)
        defer { steps = max(matcher.stepsLeft, 0) }
        return matcher.search()
    }
}

/// Why a pattern is invalid, and where.
public struct PatternError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of Unicode scalars before the error.
    public var offset: Int
    /// The reason.
    public var reason: Reason

    /// The kinds of errors.
    public enum Reason: Equatable, Sendable {
        case tooLong, tooDeep, patternEnds
        case unmatchedParenthesis, groupNotClosed, classNotClosed
        case loneBracket(Unicode.Scalar)
        case nothingToRepeat, repeatsOutOfOrder, tooManyRepeats
        case unknownGroup, invalidGroupName, duplicateGroupName(String)
        case unknownReference(String)
        case invalidEscape(String)
        case rangeOutOfOrder, classInRange
        case unknownProperty(String)
        case scriptsNotSupported
    }

    public var description: String {
        "at character \(offset + 1): \(reason.sentence)"
    }
}

extension PatternError.Reason {
    /// The error as a sentence without a full stop.
    public var sentence: String {
        switch self {
        case .tooLong: "the maximum length is \(Pattern.lengthMax) characters"
        case .tooDeep: "the maximum nesting depth of groups is \(Pattern.nestingMax)"
        case .patternEnds: "the pattern ends unexpectedly"
        case .unmatchedParenthesis: "unmatched ); write \\) for the character"
        case .groupNotClosed: "missing ) at the end of a group"
        case .classNotClosed: "missing ] at the end of a class"
        case .loneBracket(let bracket): "write \\\(bracket) for the character \(bracket)"
        case .nothingToRepeat: "there is nothing to repeat"
        case .repeatsOutOfOrder: "the numbers in {n,m} are out of order"
        case .tooManyRepeats: "the maximum number of repetitions is \(Pattern.repeatsMax)"
        case .unknownGroup: "after (? only : = ! <= <! and <name> are supported"
        case .invalidGroupName: "the group name is invalid"
        case .duplicateGroupName(let name): "two groups are named \(name)"
        case .unknownReference(let name): "there is no group \(name)"
        case .invalidEscape(let escape): "\(escape) is not a valid escape"
        case .rangeOutOfOrder: "the range is out of order"
        case .classInRange: "a range cannot end in a class; write \\- for the character -"
        case .unknownProperty(let name): "the property \(name) is unknown"
        case .scriptsNotSupported: "scripts are not supported in \\p{…}"
        }
    }
}
