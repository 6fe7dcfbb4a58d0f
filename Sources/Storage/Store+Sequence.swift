package import Navigation

extension Store {
    package func sequence(of handle: SessionHandle) -> SequenceNumber {
        contents.index[handle].sequence
    }
}
