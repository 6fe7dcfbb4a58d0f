internal import Bytes
public import JSON
public import Navigation

/// A form of files from which the document of an app can be made.
public enum ImportForm: String, CaseIterable, Sendable {
    case siteAssociation = "apple-app-site-association"
    case reactNavigation = "react-navigation"
    case hotwire
}

/// The file is not of the form that it should have.
public struct ImportError: Error, Equatable, Sendable {
    /// The rest of a sentence that begins with the name of the file.
    public var detail: String
}

/// The document of an app that was made from another file.
public struct AppImport: Sendable {
    /// The document, which a server stores without errors.
    public let document: JSON
    /// The parts that could not be expressed, each with its place in the file and its replacement.
    public let notes: [Note]

    /// Something that the document does not express.
    public struct Note: Equatable, Sendable {
        /// A JSON pointer into the file.
        public var pointer: String
        public var text: String

        /// The note as it is printed.
        public var line: String { "\(pointer.isEmpty ? "/" : pointer): \(text)" }
    }

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - id: the id of the app.
    ///   - host: the host of links for which the file names none. Without it they have none.
    public init(
        _ file: JSON, _ form: ImportForm, id: AppID, host: String? = nil
    ) throws(ImportError) {
        guard case .object(let object) = file else {
            throw ImportError(detail: "must be a JSON object")
        }
        var app = ImportedApp(id: id)
        switch form {
        case .siteAssociation:
            var reader = SiteAssociationReader(host: host)
            try reader.read(object, into: &app)
        case .reactNavigation:
            var reader = LinkingReader(host: host)
            try reader.read(object, into: &app)
        case .hotwire:
            var reader = PathConfigurationReader(host: host)
            try reader.read(object, into: &app)
        }
        try app.leaveOutRefused()
        document = app.json
        notes = app.notes
    }
}
