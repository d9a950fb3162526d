import Foundation
import Store

/// Looks at the machine around the daemon.
struct HealthProbe: Sendable {
    /// The path of the store; `nil` for a store in memory.
    let store: String?
    /// The path of the socket whose file this daemon made; `nil` if another program made it.
    let socket: String?
    let troubles: Troubles
    /// Returns the doors that are configured.
    let doors: @Sendable () -> [HealthSnapshot.Door]

    /// Returns what is known now; this takes microseconds, but asks the disk.
    func look() -> HealthSnapshot.Surroundings {
        var surroundings = HealthSnapshot.Surroundings()
        surroundings.freeBytes = store.flatMap { path in
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
            return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
        }
        surroundings.readOnly = store.flatMap(LocationDatabase.reasonAgainstWriting)
        if let socket {
            surroundings.socket = socket
            surroundings.isSocketGone = !FileManager.default.fileExists(atPath: socket)
        }
        surroundings.doors = doors()
        surroundings.troubles = troubles.all
        return surroundings
    }
}
