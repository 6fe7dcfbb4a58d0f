package import Navigation
package import Sessions

extension ClusterEngine {
    /// Begins a backup. Each session in it is as it is when it is read.
    package func beginBackup(token: UInt64, at: Milliseconds) -> Ticket {
        reader.backups.begin(token: token, at: at)
        return .none
    }

    /// Has the next piece of a backup made.
    package func readBackup(token: UInt64) { reader.backups.read(token: token) }

    /// Ends a backup, whether it is complete or not.
    package func endBackup(token: UInt64) { reader.backups.end(token: token) }

    /// The pieces that have been made since the last call.
    package func takeBackupPieces() -> [BackupPiece] { reader.backups.takePieces() }
}
