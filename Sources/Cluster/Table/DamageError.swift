internal import Sessions

/// A message of the store that is not what it should be.
struct DamageError: Error, Equatable {
    /// What its subject names. Nil if it names nothing of this store.
    let item: StoreLayout.Item?
    /// The stream sequence.
    let number: Int
    /// What is wrong.
    let reason: SharedRecordError
    /// Whether it was read without its payload, and its headers do not have what is needed.
    var lacksHead = false

    /// What to log.
    ///
    /// - Parameter stream: the name of the stream.
    func report(in stream: String) -> StoreReport {
        if case .newerFormat(let format) = reason {
            return StoreReport(
                "the store was changed by a newer version",
                error: StoreOpenError.tooNew(format: format).message)
        }
        return StoreReport(
            "message \(number) of the stream \(stream) is damaged", error: "\(reason)")
    }
}
