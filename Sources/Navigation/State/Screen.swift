internal import Bytes
internal import JSON

/// A route with its params, its mark and its lock: the part of an entry or of a sheet that a client
/// draws.
///
/// A screen never changes. The states that contain it share it, so a copy of a path costs one
/// reference for each entry. It keeps its JSON text, since every later revision of the session
/// contains that text again.
public final class Screen: Sendable {
    public let route: RouteName
    public let mark: MarkName?
    /// Whether navigation must not remove the entry. A sheet is never locked in this way; it says
    /// `dismissible: false`.
    public let isLocked: Bool
    /// The members of an entry after its id:
    /// `"route":"order","params":{"id":7},"mark":"form","locked":true`.
    public let text: ArraySlice<UInt8>
    private let paramsRange: Range<Int>

    public init(
        route: RouteName, params: Params = .empty, mark: MarkName? = nil, isLocked: Bool = false
    ) {
        var out = ByteWriter(capacity: ByteWriter.smallAllocationCapacity)
        out.append(literal: #""route":""#)
        out.append(route.rawValue)
        out.append(literal: #"","params":"#)
        let start = out.count
        out.append(params.text)
        let end = out.count
        if let mark {
            out.append(literal: #","mark":""#)
            out.append(mark.rawValue)
            out.append(literal: #"""#)
        }
        if isLocked { out.append(literal: #","locked":true"#) }
        self.route = route
        self.mark = mark
        self.isLocked = isLocked
        text = out.finish()[...]
        paramsRange = start..<end
    }

    /// Takes text of the store that has the members in the order of `text`.
    ///
    /// - Parameters:
    ///   - text: the members, which were checked, within the text of their session.
    ///   - params: the range of the params.
    public init(
        stored text: ArraySlice<UInt8>, route: RouteName, params: Range<Int>, mark: MarkName?,
        isLocked: Bool
    ) {
        precondition(
            text.startIndex <= params.lowerBound && params.upperBound <= text.endIndex)
        self.route = route
        self.mark = mark
        self.isLocked = isLocked
        self.text = text
        paramsRange = params
    }

    public var params: Params { Params(trusted: text[paramsRange]) }

    /// The text of the route and the params.
    public var textOfContent: ArraySlice<UInt8> { text[..<paramsRange.upperBound] }

    /// The screen with other params.
    public func with(params: Params) -> Screen {
        Screen(route: route, params: params, mark: mark, isLocked: isLocked)
    }

    /// The screen with another mark or lock; nil stands for the one that it has.
    public func with(mark: MarkName?, isLocked: Bool?) -> Screen {
        let (mark, isLocked) = (mark ?? self.mark, isLocked ?? self.isLocked)
        guard mark != self.mark || isLocked != self.isLocked else { return self }
        return Screen(route: route, params: params, mark: mark, isLocked: isLocked)
    }
}

extension Screen: Equatable {
    /// Compares params as JSON: the order of members does not matter, and 1 equals 1.0.
    public static func == (a: Screen, b: Screen) -> Bool {
        a === b || a.text == b.text
            || (a.route == b.route && a.mark == b.mark && a.isLocked == b.isLocked
                && a.params == b.params)
    }
}
