extension Resolution {
    /// What is in force and where from; secrets are masked.
    package var report: String {
        let rows = Option.all.filter { $0.name != Option.config.name }.map { option in
            let values = option.read(configuration).joined(separator: ",")
            let shown = option.isSecret && !values.isEmpty ? "(secret)" : values
            return (option.name, shown.isEmpty ? "-" : shown, origin(of: option).description)
        }
        let widths = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        return rows.map { name, value, origin in
            padded(name, widths.0) + "  " + padded(value, min(40, widths.1)) + "  \(origin)\n"
        }.joined()
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
