internal import API
internal import Bytes
internal import Navigation
internal import POSIX

/// Reads the app definitions in the directory of `--apps`.
enum AppFiles {
    /// Reads and checks all files whose names end with `.json`, in the order of their names, but
    /// for hidden ones, such as the lock of an editor.
    ///
    /// - Throws: a `configuration` error for the first file that is not a valid app.
    static func read(_ directory: String?, _ limits: Limits) throws(ExitError) -> [CheckedApp] {
        guard let directory else { return [] }
        let names: [String]
        do {
            names = try Directory.names(directory).filter {
                $0.hasSuffix(".json") && !$0.hasPrefix(".")
            }
        } catch {
            throw ExitError(.configuration, "--apps \(directory): \(error.text)")
        }
        var apps: [CheckedApp] = []
        for name in names { apps.append(try read(name, in: directory, limits)) }
        return apps
    }

    private static func read(
        _ name: String, in directory: String, _ limits: Limits
    ) throws(ExitError) -> CheckedApp {
        let path = "\(directory)/\(name)"
        guard let id = AppID(String(name.dropLast(".json".count))) else {
            throw ExitError(.configuration, "\(path): the file name is not a valid app id")
        }
        let text: [UInt8]
        do {
            text = try FileDescriptor.contents(of: path)
        } catch {
            throw ExitError(.configuration, "\(path): \(error.text)")
        }
        do {
            return try CheckedApp(text, named: id, limits: limits)
        } catch {
            throw ExitError(.configuration, "\(path): invalid app:\n\(lines(error.faults))")
        }
    }

    private static func lines(_ faults: [InputFault]) -> String {
        faults.map { "  \($0.pointer.isEmpty ? "the app" : $0.pointer) \($0.detail)" }
            .joined(separator: "\n")
    }
}
