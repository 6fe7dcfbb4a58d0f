internal import Bytes

// Graphs as text: for Mermaid, and in the DOT language of Graphviz.

extension AppGraph {
    /// The form of the text.
    public enum Format: String, CaseIterable, Sendable {
        case mermaid, dot
    }

    /// The graph as text with a line end.
    public func text(_ format: Format) -> String {
        switch format {
        case .mermaid: mermaid
        case .dot: dot
        }
    }

    // MARK: - Mermaid

    private var mermaid: String {
        var lines = ["flowchart LR"]
        let grouped = Set(groups.flatMap(\.nodes).map { ExactString($0) })
        for group in groups {
            lines.append("  subgraph \(group.id) [\(Self.plainOrQuoted(group.title))]")
            for node in nodes where group.nodes.contains(node.id) {
                lines.append("    \(Self.mermaid(node))")
            }
            lines.append("  end")
        }
        for node in nodes where !grouped.contains(ExactString(node.id)) {
            lines.append("  \(Self.mermaid(node))")
        }
        for edge in edges {
            let arrow = edge.line == .push ? "-->" : "-.->"
            let label = edge.label.map { "|\(Self.plainOrQuoted($0))|" } ?? ""
            lines.append("  \(edge.from) \(arrow)\(label) \(edge.to)")
        }
        // Mermaid has no third kind of line, so the offers of guards get finer dots.
        let offers = edges.indices.filter { edges[$0].line == .offer }.map { "\($0)" }
        if !offers.isEmpty {
            lines.append("  linkStyle \(offers.joined(separator: ",")) stroke-dasharray:1 4")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func mermaid(_ node: Node) -> String {
        let isPlain = node.lines.count == 1 && node.shape != .link
        let text =
            isPlain
            ? plainOrQuoted(node.lines[0])
            : "\"\(node.lines.map(escaped).joined(separator: "<br/>"))\""
        return switch node.shape {
        case .root: "\(node.id)([\(text)])"
        case .pushed: "\(node.id)[\(text)]"
        case .sheet: "\(node.id)(\(text))"
        case .cover: "\(node.id)[[\(text)]]"
        case .link: "\(node.id)>\(text)]"
        case .guarded: "\(node.id){{\(text)}}"
        }
    }

    /// Text without quotes if it has nothing but words, none of which means something in a diagram.
    private static func plainOrQuoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy {
                ASCII.isDigit($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: " ")
            }
        let words = text.split(separator: " ").map { $0.lowercased() }
        return isPlain && !words.contains("end") && !text.hasPrefix(" ") ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text that stands for itself between quotes: neither markup nor an entity nor Markdown.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "#", "&", "<", ">", "`", ";", "\\": out += "#\(scalar.value);"
            case _ where scalar.properties.generalCategory == .control: out += " "
            case _ where scalar.properties.generalCategory == .format: continue
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    // MARK: - DOT

    private var dot: String {
        var lines = ["digraph {", "  rankdir=LR;", "  compound=true;", "  node [shape=box];"]
        let grouped = Set(groups.flatMap(\.nodes).map { ExactString($0) })
        for group in groups {
            lines.append("  subgraph cluster_\(group.id) {")
            lines.append("    label=\(Self.string(group.title));")
            for node in nodes where group.nodes.contains(node.id) {
                lines.append("    \(Self.dot(node))")
            }
            lines.append("  }")
        }
        for node in nodes where !grouped.contains(ExactString(node.id)) {
            lines.append("  \(Self.dot(node))")
        }
        for edge in edges { lines.append("  \(dot(edge))") }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private static func dot(_ node: Node) -> String {
        let shape =
            switch node.shape {
            case .root: ", shape=oval"
            case .pushed: ""
            case .sheet: ", style=rounded"
            case .cover: ", peripheries=2"
            case .link: ", shape=cds"
            case .guarded: ", shape=hexagon"
            }
        return "\(node.id) [label=\(string(node.lines.joined(separator: "\n")))\(shape)];"
    }

    /// An edge to a group ends at its frame, and needs a node in it.
    private func dot(_ edge: Edge) -> String {
        var attributes: [String] = []
        if let label = edge.label { attributes.append("label=\(Self.string(label))") }
        switch edge.line {
        case .push: break
        case .present: attributes.append("style=dashed")
        case .offer: attributes.append("style=dotted")
        }
        let (from, to) = (group(edge.from), group(edge.to))
        if let from { attributes.append("ltail=cluster_\(from.id)") }
        if let to { attributes.append("lhead=cluster_\(to.id)") }
        let ends = "\(from?.nodes.first ?? edge.from) -> \(to?.nodes.first ?? edge.to)"
        return attributes.isEmpty ? "\(ends);" : "\(ends) [\(attributes.joined(separator: ", "))];"
    }

    private func group(_ id: String) -> Group? { groups.first { $0.id == id } }

    private static func string(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case "\n": out += "\\n"
            case _ where scalar.properties.generalCategory == .control: out += " "
            case _ where scalar.properties.generalCategory == .format: continue
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
