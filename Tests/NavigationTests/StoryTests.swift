import JSON
import Navigation
import Testing

/// Steps of somebody with an app, and the screens that follow.
struct Story: Sendable, CustomTestStringConvertible {
    var name: String
    var app: String
    var steps: [Step]

    var testDescription: String { name }

    static func stories(of app: String, _ list: KeyValuePairs<String, [Step]>) -> [Story] {
        list.map { Story(name: $0.key, app: app, steps: $0.value) }
    }

    static let all = chat + hierarchy + social + shop + routers
}

struct Step: Sendable {
    var command: CommandName
    var body: String
    var expectation: Expectation

    enum Expectation: Sendable {
        case anything
        /// It changes something, and this is what comes of it.
        case shows(String?, visible: String? = nil, popped: Int? = nil, has: String? = nil)
        /// Nothing changes, for that reason.
        case nothing(String?, popped: Int? = nil)
        /// Nothing changes, as the command is refused.
        case refused(String, at: [String] = [], index: Int? = nil)
        /// A dry run: it would change something, and is not carried out.
        case told
    }

    init(_ command: CommandName, _ body: String = "{}", _ expectation: Expectation = .anything) {
        self.command = command
        self.body = body
        self.expectation = expectation
    }
}

@Suite struct StoryTests {
    @Test(arguments: Story.all)
    func `the story goes as it is told`(_ story: Story) throws {
        var world = try World(app: app(story.app))
        for (number, step) in story.steps.enumerated() {
            let comment = Comment(rawValue: "step \(number + 1): \(step.command) \(step.body)")
            try take(step, in: &world, comment)
        }
    }

    private func take(_ step: Step, in world: inout World, _ comment: Comment) throws {
        let before = world.bytes
        switch step.expectation {
        case .anything:
            #expect(try world.run(step.command, step.body).changed, comment)
        case .shows(let picture, let visible, let popped, let has):
            let answer = try world.run(step.command, step.body)
            #expect(answer.changed, comment)
            if let picture { #expect(world.picture == picture, comment) }
            if let visible {
                #expect(world.json.object("visible").string("route") == visible, comment)
            }
            if let popped { #expect(answer.count == popped, comment) }
            if let has {
                #expect(world.json.contains(try object(has)), comment)
            }
        case .nothing(let reason, let popped):
            let answer = try world.run(step.command, step.body)
            #expect(!answer.changed, comment)
            if let reason { #expect(answer.reason?.rawValue == reason, comment) }
            if let popped { #expect(answer.count == popped, comment) }
            #expect(world.bytes == before, comment)
        case .refused(let problem, let pointers, let index):
            let refusal = try world.refusal(step.command, step.body)
            #expect(refusal.problem == problem, comment)
            #expect(Set(pointers).isSubset(of: refusal.pointers), comment)
            if let index { #expect(refusal.index == index, comment) }
            #expect(world.bytes == before, comment)
        case .told:
            #expect(try world.trial(step.command, step.body).answer.changed, comment)
            #expect(world.bytes == before, comment)
        }
    }
}

extension RejectionError {
    /// Which command of a batch was refused.
    var index: Int? {
        if case .inBatch(let index, _) = self { index } else { nil }
    }
}

extension JSONObject {
    /// Whether all of the other's members are here, those of its objects likewise.
    func contains(_ other: JSONObject) -> Bool {
        other.members.allSatisfy { member in
            guard case .object(let wanted) = member.value, case .object(let own)? = self[member.key]
            else { return self[member.key] == member.value }
            return own.contains(wanted)
        }
    }
}
