/// A message of the store that is not what it should be.
struct DamageError: Error, Equatable {
    /// What its subject names. Nil if it names nothing of this store.
    let item: StoreLayout.Item?
    /// The stream sequence.
    let number: Int
    /// What is wrong.
    let reason: SharedRecordError
}
