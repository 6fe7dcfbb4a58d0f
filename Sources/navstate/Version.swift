/// The version of the program.
package enum Version {
    /// The version as `navstate version` prints it.
    package static let text = "0.2.0"
}
