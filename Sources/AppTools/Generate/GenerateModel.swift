internal import Bytes
internal import JSON
internal import Navigation

/// An app as generated code sees it: with an identifier for each name and a type for each value.
struct AppModel {
    /// The namespace.
    var name = ""
    /// The title for people.
    var title: String { app.title ?? app.id.rawValue }
    var routes: [RouteModel] = []
    var tabs: [TabModel] = []
    var facts: [MemberModel] = []
    var guards: [GuardModel] = []
    var groups: [GroupModel] = []
    var links: [LinkModel] = []
    var types: [TypeModel] = []
    let app: App
    let document: JSON

    init(_ app: App, _ document: JSON) { (self.app, self.document) = (app, document) }

    /// The index of each type by its name.
    var typeIndexes: [ExactString: Int] = [:]

    /// The index of each route by its name in the document.
    var routeIndexes: [ExactString: Int] = [:]

    /// The routes of a group and of the groups in it.
    func allRoutes(of group: GroupModel) -> [Int] {
        var (open, found) = ([group], [Int]())
        var known: Set<ExactString> = []
        while let next = open.popLast() {
            found += next.routes.filter { !found.contains($0) }
            open += groups.filter { other in
                next.groups.contains(other.name.name)
                    && known.insert(ExactString(other.name.name)).inserted
            }
        }
        return found
    }

    /// A type that was declared.
    func type(_ name: String) -> TypeModel.Form? {
        typeIndexes[ExactString(name)].map { types[$0].form }
    }

    /// Whether null is a value of the type.
    func isNullable(_ type: ValueType) -> Bool {
        switch type {
        case .optional: true
        case .named(let name):
            if case .alias(let other)? = self.type(name) { isNullable(other) } else { false }
        case .string, .integer, .number, .boolean, .list, .map, .union, .any: false
        }
    }

    /// How many optionals the type is in Swift, one in another.
    func optionals(_ type: ValueType) -> Int {
        switch type {
        case .optional(let other): 1 + optionals(other)
        case .named(let name):
            if case .alias(let other)? = self.type(name) { optionals(other) } else { 0 }
        case .string, .integer, .number, .boolean, .list, .map, .union, .any: 0
        }
    }

    /// The type without null and without other names for it.
    func whole(_ type: ValueType) -> ValueType {
        switch type {
        case .optional(let other): whole(other)
        case .named(let name):
            if case .alias(let other)? = self.type(name) { whole(other) } else { type }
        case .string, .integer, .number, .boolean, .list, .map, .union, .any: type
        }
    }

    /// The members of a type that is an object.
    func members(_ type: ValueType) -> [MemberModel]? {
        if case .named(let name) = type, case .record(let members)? = self.type(name) {
            members
        } else {
            nil
        }
    }

    /// Whether null is another value of a member than none.
    func tellsNull(_ member: MemberModel) -> Bool {
        !member.isOptional && isNullable(member.type)
    }

    /// The names of an enumeration, if the type is one.
    func choices(_ type: ValueType) -> [NameModel]? {
        guard case .named(let name) = type, case .choice(let names)? = self.type(name) else {
            return nil
        }
        return names
    }
}

/// The type of a value.
indirect enum ValueType: Equatable {
    case string, integer, number, boolean
    /// One of the types of the app.
    case named(String)
    case list(ValueType)
    case map(ValueType)
    case optional(ValueType)
    /// Any of these. Only TypeScript has it.
    case union([ValueType])
    case any

    /// The type without null.
    var present: ValueType { if case .optional(let type) = self { type } else { self } }
}

/// A member of an object, a param or a fact.
struct MemberModel {
    var name: String
    /// The name in the document.
    var key: String
    var type: ValueType
    var isRequired: Bool
    var fallback: JSON?
    var notes: [String] = []

    /// Whether the value may be missing where it is read.
    var isOptional: Bool { !isRequired && fallback == nil }
    /// The type where a value that may be missing is optional.
    var fullType: ValueType { isOptional ? .optional(type.present) : type }
}

/// A name of an enumeration.
struct NameModel {
    var name: String
    /// The name in the document.
    var key: String
}

struct TypeModel {
    enum Form {
        case record([MemberModel])
        case choice([NameModel])
        case alias(ValueType)
    }

    var name: String
    /// Where it is declared.
    var place: JSONPointer
    var notes: [String] = []
    var form: Form
}

struct RouteModel {
    var name: NameModel
    var route: Route
    var notes: [String] = []
    var params: [MemberModel] = []
    /// The type of the answer to a question.
    var answer: ValueType?
    /// The guards, by their identifiers.
    var guards: [String] = []

    /// How the methods that show it begin.
    var verbs: [String] {
        let style = route.presentation
        let push = style.allowsPush ? ["show"] : []
        return push + (answer != nil ? ["ask"] : style.styles.isEmpty ? [] : ["present"])
    }

    /// Its title, how it appears and what it needs.
    var summary: [String] {
        let styles = (route.presentation.allowsPush ? [] : route.presentation.styles).map(
            \.rawValue)
        let parts = [route.texts.title?.declared].compactMap { $0 } + styles
        return [(parts + guards.map { "needs \($0)" }).joined(separator: "; ")]
    }
}

struct TabModel {
    var name: NameModel
    var tab: AppTab
    /// The index of the route of its root.
    var root: Int
}

struct GuardModel {
    var name: NameModel
    /// Each fact with the values that it may have.
    var conditions: [(fact: MemberModel, values: [JSON])] = []
}

struct GroupModel {
    var name: NameModel
    /// The indexes of its own routes.
    var routes: [Int] = []
    /// The names of the groups in it.
    var groups: [String] = []

    /// The protocols that its own one extends.
    var parents: String { groups.isEmpty ? "AppRouting" : groups.joined(separator: ", ") }
}

/// A link whose URLs are built from captures.
struct LinkModel {
    enum Piece {
        case text(String)
        case capture(MemberModel, isRest: Bool)
    }

    var name: String
    var pattern: String
    var captures: [MemberModel] = []
    /// The path and the query of the URL, and of its fragment if it has one.
    var parts: [(path: [Piece], query: [(key: String, value: Piece)])] = []
}
