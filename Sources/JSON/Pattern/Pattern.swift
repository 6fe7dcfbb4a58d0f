internal import Bytes

// Pattern: regular expressions as ECMA-262 has them, with the `u` flag, for the schema's `pattern`.
//
// A pattern comes from whoever declares an app, the text from whoever sends a command, and both may
// be hostile. So a pattern is parsed by a parser of bounded depth, translated into a small program,
// and run by a matcher that counts its steps and keeps what it may come back to on a stack of its
// own. No pattern and no text make it take longer than its steps allow, or overflow the stack.
//
//  1. Matching works on Unicode scalars and searches anywhere in the text; `^` and `$` are the
//     text's beginning and end, as no flag but `u` is set.
//  2. As `u` demands, what is not in the grammar is an error and not a literal: lone `{`, `}`, `]`,
//     escapes of letters that mean nothing, `\-` outside a class, ranges that end in a class.
//  3. `\d` and `\w` and `\b` are ASCII's; `\s` is ECMA-262's white space with its line ends.
//  4. Captures are forgotten where ECMA-262 forgets them: at the beginning of each repetition.
//  5. Not supported, and refused by name: `\p{Script=…}` (the standard library knows no scripts),
//     inline flags `(?i:…)`, two groups of one name.
//
//     PatternParser  text → `PatternNode` tree      PatternProgram  tree → instructions
//     ScalarSet      classes and their escapes      PatternMatcher  instructions + text → result
//
//     let pattern = try Pattern("^(a+)+$")
//     pattern.matches("aaaa")                                             // .matches
//     pattern.matches(String(repeating: "a", count: 40) + "b")            // .tookTooLong

/// A regular expression that is ready to be searched for.
package struct Pattern: Sendable {
    /// What a search found out.
    package enum Result: Sendable, Equatable {
        case matches, doesNotMatch
        /// The steps were used up before it was known.
        case tookTooLong
    }

    /// Scalars of a pattern; far more than one that people can read.
    package static let lengthMax = 2_000
    /// The largest number in `{n,m}`; a text has at most as many characters as a body has bytes.
    package static let repeatsMax = 1_048_576
    /// How deep groups may stand in each other, as the parser calls itself for each.
    package static let nestingMax = 50
    /// Steps for one search, and so many more for each scalar of the text, that a pattern which
    /// looks at each a few times never fails for a long text. A step takes some 10 ns.
    package static let stepsMax = 100_000
    package static let stepsForScalar = 8

    /// The text it was made from.
    package let source: String
    let program: PatternProgram

    package init(_ source: String) throws(PatternError) {
        var parser = PatternParser(source)
        let tree = try parser.parse()
        self.source = source
        program = PatternProgram(tree, groups: parser.groupCount, names: parser.names)
    }

    /// Searches for the pattern anywhere in the text.
    package func matches(_ text: String, stepsMax: Int = Pattern.stepsMax) -> Result {
        var steps = stepsMax + text.utf8.count * Self.stepsForScalar
        return matches(text, steps: &steps)
    }

    /// Searches, and takes its steps from a budget. Like any search it may take too long before the
    /// budget is used up.
    func matches(_ text: String, work: WorkBudget) throws(WorkBudgetError) -> Result {
        let most = Self.stepsMax + text.utf8.count * Self.stepsForScalar
        let allowed = min(most, work.unitsLeft)
        var left = allowed
        let result = matches(text, steps: &left)
        try work.spend(.steps(allowed - left))
        if result == .tookTooLong, allowed < most { throw WorkBudgetError() }
        return result
    }

    /// Searches, and takes its steps from those that are left.
    package func matches(_ text: String, steps: inout Int) -> Result {
        var matcher = PatternMatcher(program, Array(text.unicodeScalars), steps: steps)
        defer { steps = max(matcher.stepsLeft, 0) }
        return matcher.search()
    }
}

/// Why a pattern is not one, and where.
package struct PatternError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Unicode scalars before the place.
    package var offset: Int
    package var reason: Reason

    package enum Reason: Equatable, Sendable {
        case tooLong, tooDeep, patternEnds
        case unmatchedParenthesis, groupNotClosed, classNotClosed
        case loneBracket(Character)
        case nothingToRepeat, repeatsOutOfOrder, tooManyRepeats
        case unknownGroup, invalidGroupName, duplicateGroupName(String)
        case unknownReference(String)
        case invalidEscape(String)
        case rangeOutOfOrder, classInRange
        case unknownProperty(String)
        case scriptsNotSupported
    }

    package var description: String {
        "at character \(offset + 1): \(reason.sentence)"
    }
}

extension PatternError.Reason {
    /// The fact as a sentence without its full stop.
    package var sentence: String {
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
