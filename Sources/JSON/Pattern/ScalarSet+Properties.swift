internal import Bytes

extension ScalarSet {
    /// The set of `\p{…}`, a general category or a binary property, by its short or long name (UAX
    /// #44). Returns nil for a property that the standard library does not know.
    static func property(_ text: String) -> ScalarSet? {
        for prefix in ["gc=", "General_Category="] where text.hasPrefix(prefix) {
            return category(String(text.dropFirst(prefix.count)))
        }
        if let set = category(text) { return set }
        return binaryProperties[ExactString(text)].map { ScalarSet($0) }
    }

    private static func category(_ name: String) -> ScalarSet? {
        guard let categories = categories[ExactString(name)] else { return nil }
        return ScalarSet { categories.contains($0.properties.generalCategory) }
    }

    private static let categories: [ExactString: Set<Unicode.GeneralCategory>] = {
        var table: [ExactString: Set<Unicode.GeneralCategory>] = [:]
        for (short, long, category) in singleCategories {
            table[ExactString(short)] = [category]
            table[ExactString(long)] = [category]
            table[ExactString(String(short.prefix(1))), default: []].insert(category)
        }
        table["LC"] = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        for (short, long) in [
            ("L", "Letter"), ("LC", "Cased_Letter"), ("M", "Mark"), ("N", "Number"),
            ("S", "Symbol"),
            ("P", "Punctuation"), ("Z", "Separator"), ("C", "Other"), ("M", "Combining_Mark"),
            ("Nd", "digit"), ("P", "punct"), ("Cc", "cntrl"),
        ] {
            table[ExactString(long)] = table[ExactString(short)]
        }
        return table
    }()

    private static let singleCategories: [(String, String, Unicode.GeneralCategory)] = [
        ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Ll", "Lowercase_Letter", .lowercaseLetter),
        ("Lt", "Titlecase_Letter", .titlecaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
        ("Lo", "Other_Letter", .otherLetter), ("Mn", "Nonspacing_Mark", .nonspacingMark),
        ("Mc", "Spacing_Mark", .spacingMark), ("Me", "Enclosing_Mark", .enclosingMark),
        ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
        ("No", "Other_Number", .otherNumber),
        ("Pc", "Connector_Punctuation", .connectorPunctuation),
        ("Pd", "Dash_Punctuation", .dashPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
        ("Pe", "Close_Punctuation", .closePunctuation),
        ("Pi", "Initial_Punctuation", .initialPunctuation),
        ("Pf", "Final_Punctuation", .finalPunctuation),
        ("Po", "Other_Punctuation", .otherPunctuation), ("Sm", "Math_Symbol", .mathSymbol),
        ("Sc", "Currency_Symbol", .currencySymbol), ("Sk", "Modifier_Symbol", .modifierSymbol),
        ("So", "Other_Symbol", .otherSymbol), ("Zs", "Space_Separator", .spaceSeparator),
        ("Zl", "Line_Separator", .lineSeparator),
        ("Zp", "Paragraph_Separator", .paragraphSeparator),
        ("Cc", "Control", .control), ("Cf", "Format", .format), ("Cs", "Surrogate", .surrogate),
        ("Co", "Private_Use", .privateUse), ("Cn", "Unassigned", .unassigned),
    ]

    private static let binaryProperties: [ExactString: Property] = {
        var table: [ExactString: Property] = [
            "Any": { _ in true },
            "ASCII": { $0.isASCII },
            "Assigned": { $0.properties.generalCategory != .unassigned },
        ]
        for (names, property) in listedProperties {
            for name in names { table[ExactString(name)] = property }
        }
        return table
    }()

    private static let listedProperties: [([String], Property)] = [
        (["Alphabetic", "Alpha"], { $0.properties.isAlphabetic }),
        (["ASCII_Hex_Digit", "AHex"], { $0.properties.isASCIIHexDigit }),
        (["Bidi_Control", "Bidi_C"], { $0.properties.isBidiControl }),
        (["Bidi_Mirrored", "Bidi_M"], { $0.properties.isBidiMirrored }),
        (["Case_Ignorable", "CI"], { $0.properties.isCaseIgnorable }),
        (["Cased"], { $0.properties.isCased }),
        (["Changes_When_Lowercased", "CWL"], { $0.properties.changesWhenLowercased }),
        (["Changes_When_Uppercased", "CWU"], { $0.properties.changesWhenUppercased }),
        (["Dash"], { $0.properties.isDash }),
        (["Default_Ignorable_Code_Point", "DI"], { $0.properties.isDefaultIgnorableCodePoint }),
        (["Deprecated", "Dep"], { $0.properties.isDeprecated }),
        (["Diacritic", "Dia"], { $0.properties.isDiacritic }),
        (["Emoji"], { $0.properties.isEmoji }),
        (["Emoji_Modifier", "EMod"], { $0.properties.isEmojiModifier }),
        (["Emoji_Modifier_Base", "EBase"], { $0.properties.isEmojiModifierBase }),
        (["Emoji_Presentation", "EPres"], { $0.properties.isEmojiPresentation }),
        (["Extender", "Ext"], { $0.properties.isExtender }),
        (["Grapheme_Base", "Gr_Base"], { $0.properties.isGraphemeBase }),
        (["Grapheme_Extend", "Gr_Ext"], { $0.properties.isGraphemeExtend }),
        (["Hex_Digit", "Hex"], { $0.properties.isHexDigit }),
        (["ID_Continue", "IDC"], { $0.properties.isIDContinue }),
        (["ID_Start", "IDS"], { $0.properties.isIDStart }),
        (["Ideographic", "Ideo"], { $0.properties.isIdeographic }),
        (["Join_Control", "Join_C"], { $0.properties.isJoinControl }),
        (["Lowercase", "Lower"], { $0.properties.isLowercase }),
        (["Math"], { $0.properties.isMath }),
        (["Noncharacter_Code_Point", "NChar"], { $0.properties.isNoncharacterCodePoint }),
        (["Pattern_White_Space", "Pat_WS"], { $0.properties.isPatternWhitespace }),
        (["Quotation_Mark", "QMark"], { $0.properties.isQuotationMark }),
        (["Radical"], { $0.properties.isRadical }),
        (["Sentence_Terminal", "STerm"], { $0.properties.isSentenceTerminal }),
        (["Soft_Dotted", "SD"], { $0.properties.isSoftDotted }),
        (["Unified_Ideograph", "UIdeo"], { $0.properties.isUnifiedIdeograph }),
        (["Uppercase", "Upper"], { $0.properties.isUppercase }),
        (["Variation_Selector", "VS"], { $0.properties.isVariationSelector }),
        (["White_Space", "space"], { $0.properties.isWhitespace }),
        (["XID_Continue", "XIDC"], { $0.properties.isXIDContinue }),
        (["XID_Start", "XIDS"], { $0.properties.isXIDStart }),
    ]
}
