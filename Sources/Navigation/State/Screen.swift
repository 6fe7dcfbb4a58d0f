internal import Bytes
internal import JSON

/// A route with its params and mark: the part of an entry or of a sheet that a client draws.
///
/// A screen never changes. The states that contain it share it, so a copy of a path costs one
/// reference for each entry. It keeps its JSON text, since every later revision of the session
/// contains that text again.
package final class Screen: Sendable {
    package let route: RouteName
    package let mark: MarkName?
    /// The members of an entry after its id: `"route":"order","params":{"id":7},"mark":"form"`.
    package let text: [UInt8]
    private let paramsRange: Range<Int>

    package init(route: RouteName, params: Params = .empty, mark: MarkName? = nil) {
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
        self.route = route
        self.mark = mark
        text = out.finish()
        paramsRange = start..<end
    }

    /// Takes text of the store that has the members in the order of `text`.
    ///
    /// - Parameters:
    ///   - text: the members, which were checked.
    ///   - params: the range of the params in `text`.
    package init(stored text: [UInt8], route: RouteName, params: Range<Int>, mark: MarkName?) {
        precondition(params.lowerBound >= 0 && params.upperBound <= text.count)
        self.route = route
        self.mark = mark
        self.text = text
        paramsRange = params
    }

    package var params: Params { Params(trusted: text[paramsRange]) }

    /// The text without the mark.
    package var textWithoutMark: ArraySlice<UInt8> { text[..<paramsRange.upperBound] }
}

extension Screen: Equatable {
    /// Compares params as JSON: the order of members does not matter, and 1 equals 1.0.
    package static func == (a: Screen, b: Screen) -> Bool {
        a === b || a.text == b.text
            || (a.route == b.route && a.mark == b.mark && a.params == b.params)
    }
}
