import Deadlines
import Foundation
import RPC
import Service
import Store

/// The copy of the store that an administrator fetches through the socket in pieces.
///
/// There is at most one at a time.
///
/// A copy is a file in the folder beside the store. It is deleted when it is ended and when nobody has read from it for
/// a minute. If the process ends before, the next start deletes it.
actor BackupCopies {
    /// A copy that is ready to be read.
    struct Copy: Sendable {
        let id: String
        /// The file's name within the folder.
        let name: String
        let size: Int
        fileprivate(set) var touched: ContinuousClock.Instant
    }

    private enum State {
        case none, making
        /// A copy, and the task that deletes it when nobody reads from it.
        case ready(Copy, forgetting: Task<Void, Never>)
    }

    /// The folder beside the store.
    nonisolated let folder: StateFolder
    private let idleTimeout: Duration
    private var state = State.none

    /// The space that must stay free on the disk, in bytes: enough for a week of driving.
    private static let reserve: Int64 = 22_000_000

    /// Creates the access to copies of a folder's store.
    ///
    /// There must be no second instance for the same folder.
    init(folder: StateFolder, idleTimeout: Duration = .seconds(60)) {
        self.folder = folder
        self.idleTimeout = idleTimeout
    }

    /// Makes a copy of the store in its present state.
    ///
    /// - Throws: `Refusal` (`.conflict`) while there is another copy, `.unavailable` if the disk has too little space,
    ///   and `StoreError`.
    func begin() async throws -> Copy {
        guard case .none = state else {
            throw Refusal.conflict("Another backup is being fetched. Try again in a minute.")
        }
        state = .making
        do {
            let copy = try await make()
            state = .ready(copy, forgetting: Task { await forgetWhenLeft(copy.id) })
            return copy
        } catch {
            state = .none
            throw error
        }
    }

    private func make() async throws -> Copy {
        try folder.use()
        try folder.make(StateFolder.scratch)
        let id = UUID().uuidString.lowercased()
        let name = "\(StateFolder.scratch)/backup-\(id)"
        let (store, path) = (folder.store, folder.file(name))
        try await checkRoom(for: store.statistics().bytes)
        // Runs on a thread of its own because it may take minutes.
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global(qos: .utility).async { done.resume(with: Result { try store.backup(to: path) }) }
        }
        guard let size = try folder.status(of: name)?.size else { throw Self.unknown(id) }
        return Copy(id: id, name: name, size: size, touched: .now)
    }

    private func checkRoom(for bytes: Int64) throws(Refusal) {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
        guard free - bytes >= Self.reserve else {
            throw .unavailable(
                "The disk has \(free) bytes free, but a copy of the store needs \(bytes + Self.reserve) for a while. "
                    + "Run \"sudo waymark backup\", which writes directly to its target.")
        }
    }

    /// Returns the copy with an id, and keeps it for another minute.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none.
    func copy(_ id: String) throws(Refusal) -> Copy {
        guard case .ready(var copy, let forgetting) = state, copy.id == id else { throw Self.unknown(id) }
        copy.touched = .now
        state = .ready(copy, forgetting: forgetting)
        return copy
    }

    /// Deletes a copy.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none.
    func end(_ id: String) throws(Refusal) {
        guard case .ready(let copy, let forgetting) = state, copy.id == id else { throw Self.unknown(id) }
        folder.remove(copy.name)
        state = .none
        forgetting.cancel()
    }

    private func forgetWhenLeft(_ id: String) async {
        while case .ready(let copy, _) = state, copy.id == id {
            let left = copy.touched + idleTimeout - .now
            if left <= .zero { try? end(id) } else { try? await DeadlineClock.shared.sleep(for: left) }
        }
    }

    private static func unknown(_ id: String) -> Refusal {
        .notFound("There is no backup \(id). Call backup.begin to make one.")
    }
}
