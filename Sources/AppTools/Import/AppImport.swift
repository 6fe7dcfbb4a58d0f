internal import Bytes
package import JSON
package import Navigation

/// A form of files from which the document of an app can be made.
package enum ImportForm: String, CaseIterable, Sendable {
    case siteAssociation = "apple-app-site-association"
    case reactNavigation = "react-navigation"
    case hotwire
}

/// The file is not of the form that it should have.
package struct ImportError: Error, Equatable, Sendable {
    /// The rest of a sentence that begins with the name of the file.
    package var detail: String
}

/// The document of an app that was made from another file.
package struct AppImport: Sendable {
    /// The document, which a server stores without errors.
    package let document: JSON
    /// The parts that could not be expressed, each with its place in the file and its replacement.
    package let notes: [Note]

    /// Something that the document does not express.
    package struct Note: Equatable, Sendable {
        /// A JSON pointer into the file.
        package var pointer: String
        package var text: String

        /// The note as it is printed.
        package var line: String { "\(pointer.isEmpty ? "/" : pointer): \(text)" }
    }

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - id: the id of the app.
    ///   - host: the host of links for which the file names none. Without it they have none.
    package init(
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
