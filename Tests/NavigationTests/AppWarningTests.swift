import JSON
import Navigation
import Testing

/// Warnings about what an app declares and does not use, and the codes of all warnings.
@Suite struct AppWarningTests {
    private func warnings(_ members: String) throws -> [String] {
        let found = try report(#"{"tabs":[{"id":"a"}],\#(members)}"#)
        #expect(found.errors == [])
        return found.warnings.map { "\($0.code?.rawValue ?? "none") \($0.pointer)" }
    }

    @Test(
        arguments: [
            (
                #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":1}}}"#,
                ["unused-guard /guards/g"]
            ),
            (#""facts":{"f":{"default":1}}"#, ["unused-fact /facts/f"]),
            (
                #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":1}}},"#
                    + #""links":[{"pattern":"/a","tab":"a","guard":["g"]}]"#, []
            ),
            (#""groups":{"a/b":[]}"#, nil),
            (#""groups":{"g":[]}"#, ["unused-group /groups/g"]),
            (#""groups":{"g":[],"h":["@g"]}"#, ["unused-group /groups/h"]),
            (#""routes":{"s":{"presentation":"sheet"}},"groups":{"g":["s"]}"#, []),
            (
                #""routes":{"s":{"presentation":"sheet","on":["@g"]}},"groups":{"g":[]}"#, []
            ),
            (#""$defs":{"A":true}"#, ["unused-definition /$defs/A"]),
            (
                ##""$defs":{"A":{"$ref":"#/$defs/B"},"B":true}"##,
                ["unused-definition /$defs/A", "unused-definition /$defs/B"]
            ),
            (
                ##""$defs":{"A":{"$ref":"#/$defs/B"},"B":true},"##
                    + ##""facts":{"f":{"default":1,"schema":{"$ref":"#/$defs/A"}}},"##
                    + #""guards":{"g":{"when":{"f":1}}},"#
                    + #""links":[{"pattern":"/a","tab":"a","guard":"g"}]"#,
                []
            ),
            (
                ##""$defs":{"A":true},"##
                    + ##""routes":{"s":{"presentation":"sheet","result":{"$ref":"#/$defs/A"}}}"##,
                []
            ),
        ] as [(String, [String]?)])
    func `what nothing uses is a warning`(members: String, expected: [String]?) throws {
        guard let expected else {
            #expect(try !report(#"{"tabs":[{"id":"a"}],\#(members)}"#).errors.isEmpty)
            return
        }
        #expect(try warnings(members) == expected)
    }

    @Test(
        arguments: [
            ("house", nil), ("person.fill", nil), ("bubble.left.and.bubble.right", nil),
            ("square.stack.3d.up", nil), ("a.circle", nil), ("9.circle.fill", nil),
            ("calendar", nil),
            ("calender", " (did you mean calendar?)"), ("ab.circle", ""), ("", ""), (".fill", ""),
            ("hose", " (did you mean house?)"), ("zzzzzzzzzzzz", ""),
        ] as [(String, String?)])
    func `an icon without a drawing is a warning`(icon: String, hint: String?) throws {
        let name = JSON.string(icon).text
        let found = try report(#"{"tabs":[{"id":"a","icon":\#(name)}]}"#).warnings
        guard let hint else {
            #expect(found == [])
            return
        }
        let warning = try #require(found.first)
        #expect(warning.code == .unknownIcon && warning.pointer == "/tabs/0/icon")
        #expect(warning.detail.hasPrefix("\(name) is not one of the "))
        #expect(warning.detail.hasSuffix(" known symbols\(hint)"), "\(warning.detail)")
    }

    @Test func `stored apps are read without these warnings`() throws {
        let document = try object(
            #"{"tabs":[{"id":"a","icon":"zzz"}],"groups":{"g":[]},"facts":{"f":{"default":1}}}"#)
        let found = try AppReader.read(
            .object(document), id: AppID(trusted: "test"), limits: Limits(), work: WorkBudget(),
            checks: .needed)
        #expect(found.warnings == [])
    }

    @Test func `the codes are those that the documentation lists, and every warning has one`()
        throws
    {
        #expect(
            AppWarning.allCases.map(\.rawValue) == [
                "ineffective-keyword", "undeclared-root", "root-without-params", "unlisted-route",
                "unknown-param", "unreached-link", "unfit-link", "guard-loop", "unused-guard",
                "unused-fact", "unused-group", "unused-definition", "unknown-icon",
            ])
        let found = try report(
            #"""
            {"routes":{"r":{"title":"{x}","params":{"required":["y"],"then":true,
               "additionalProperties":false,"properties":{"y":{"type":"string"}}}},"s":{}},
             "facts":{"f":{"default":1}},
             "tabs":[{"id":"a","root":"none"},{"id":"b","root":"r"}],
             "links":[{"pattern":"/{y}","tab":"b","params":{"y":"{y}"}},
                      {"pattern":"/{z}","tab":"b","params":{"y":"{z}"}}]}
            """#
        ).warnings
        #expect(found.allSatisfy { $0.code != nil })
        #expect(
            Set(found.compactMap(\.code)).isSuperset(of: [
                .ineffectiveKeyword, .undeclaredRoot, .rootWithoutParams, .unlistedRoute,
                .unknownParam, .unreachedLink, .unusedFact,
            ]))
    }
}
