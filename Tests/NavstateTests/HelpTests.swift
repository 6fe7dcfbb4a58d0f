import FoundationEssentials
import Testing
import navstate

/// Texts that are made from the tables.
@Suite struct HelpTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(of file: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: file)), as: UTF8.self)
    }

    @Test func `names are there once, and read as one would type them`() {
        #expect(Set(Option.all.map(\.name)).count == Option.all.count)
        #expect(Set(Option.all.map(\.variable)).count == Option.all.count)
        for option in Option.all {
            #expect(option.name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) })
            #expect(!option.meaning.hasSuffix("."))
            #expect(option.meaning.count <= 80, "\(option.name)")
            #expect(option.paragraphs.allSatisfy { $0.hasSuffix(".") }, "\(option.name)")
            #expect(!option.paragraphs.isEmpty)
        }
    }

    @Test func `help, manual page and completions know every option and command`() throws {
        let overview = try #require(Help.text(nil))
        let pages =
            [overview, ManualPage.text.replacing("\\-", with: "-")]
            + Completion.shells.map { shell in
                let program = CommandLine()
                let start = shell == "bash" ? "navstate " : ""
                let verbs = shell == "bash" ? [start + "app "] : ["app", ""]
                return program.run("complete", shell, start + "--").output
                    + program.run("complete", shell, start).output
                    + program.run(["complete", shell] + verbs).output
            }
        for page in pages {
            for option in Option.all where option.hasFlag {
                #expect(page.contains(option.flag), "\(option.flag)")
            }
            for subcommand in Subcommand.all { #expect(page.contains(subcommand.verb)) }
        }
        #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test func `every topic has its help`() {
        for option in Option.all {
            let names = [option.name, option.flag] + (option.hasVariable ? [option.variable] : [])
            for name in names {
                let text = option.hasVariable ? option.variable : option.flag
                #expect(Help.text(name)?.contains(text) == true, "\(name)")
            }
        }
        for subcommand in Subcommand.all { #expect(Help.text(subcommand.name) != nil) }
        for code in ExitCode.allCases {
            #expect(Help.text("exit-codes")?.contains("\(code.rawValue)") == true)
        }
        for topic in Help.topics { #expect(Help.text(topic) != nil, "\(topic)") }
        #expect(Set(Help.topics).count == Help.topics.count)
        #expect(Help.text("nonsense") == nil)
    }

    @Test func `the help on a client command says how its members are written`() throws {
        let text = try #require(Help.text("navigate"))
        #expect(text.hasPrefix("navstate navigate ID ROUTE [KEY=VALUE...]\n\n  Push a screen;"))
        #expect(text.contains("KEY:=JSON"))
        let overview = try #require(Help.text(nil))
        #expect(overview.contains("  navstate apps               list the apps of the server\n"))
        let with = try #require(Help.text("with"))
        #expect(!with.contains("variable") && !with.contains("_FILE"))
        #expect(Help.text("NAVSTATE_WITH") == nil)
    }

    @Test func `the help on an option has its long text and the rule for its value`() throws {
        let text = try #require(Help.text("drain"))
        #expect(text.hasPrefix("--drain TIME\n\n  How long to keep serving after SIGTERM"))
        #expect(text.contains("load balancers"))
        #expect(text.contains("  value     a time like 45s"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 96 })
    }

    @Test func `the page about operating lists every exit code as the program does`() throws {
        let page = try Self.text(of: "docs/operating.md").replacing("`", with: "")
        for code in ExitCode.allCases {
            #expect(page.contains("\n| \(code.rawValue) | \(code.meaning) |\n"), "\(code)")
        }
    }

    @Test func `the page about the options has the text of the table`() throws {
        let page = try Self.text(of: "docs/options.md")
        let begin = try #require(page.firstRange(of: "<!-- options -->\n"))
        let end = try #require(page.firstRange(of: "<!-- /options -->"))
        let block = String(page[begin.upperBound..<end.lowerBound])
        #expect(block == Help.optionsPage, "run: navstate help options.md")
    }
}
