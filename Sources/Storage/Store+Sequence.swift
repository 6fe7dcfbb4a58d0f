internal import Navigation
package import Sessions

extension Store {
    package func sequence(of handle: SessionHandle) -> SequenceNumber {
        contents.index[handle].sequence
    }
}
