import Accounts
import Crypto
package import Foundation
import Positioning
import RPC
import Service

/// Takes files piece by piece, checks them, and keeps each until it is used.
///
/// What is not used is gone an hour after its last piece, and with the process.
public actor Uploads {
    /// Where the files are in the state folder.
    package static let folder = "uploads"

    private let files: StateFolder
    private let now: @Sendable () -> Timestamp
    private var open: [String: Upload] = [:]
    /// Those that are being used, each with those who wait for the end of that.
    private var claimed: [String: [CheckedContinuation<Void, Never>]] = [:]
    /// Whether what an earlier process has left is gone.
    private var isClean = false

    /// The uploads into a folder; there must be no second over it.
    init(files: StateFolder, now: @escaping @Sendable () -> Timestamp) {
        self.files = files
        self.now = now
    }

    /// Begins an upload; one that was begun of the same file goes on.
    ///
    /// Where there are too many in all, it takes the place of the oldest one of whoever has most, if that one has two more.
    ///
    /// - Parameter room: what the uploader may still store; nil for no limit.
    /// - Throws: 3 where the uploader has too many, 5 where they have no room for it, or there are too many in all.
    func begin(
        size: Int, digest: String, name: String?, by uploader: String?, room: Budget.Room? = nil
    ) throws -> Upload {
        try files.use()
        if !isClean {
            files.remove(Self.folder)
            isClean = true
        }
        expire()
        if let known = open.values.first(where: {
            $0.uploader == uploader && $0.digest == digest && $0.size == size
        }) {
            return known
        }
        guard open.values.count(where: { $0.uploader == uploader }) < Upload.mostOfOne else {
            throw Refusal.conflict(
                "\(Upload.mostOfOne) uploads are begun and not used; use them, or uploads.cancel one.")
        }
        // Files of the same digest become one picture.
        let others = open.values.filter { $0.uploader == uploader && $0.digest != digest }
        try room?.check(size, beside: others.reduce(0) { $0 + $1.size })
        try makePlace(for: uploader)
        let upload = Upload(
            id: UUID().uuidString.lowercased(), uploader: uploader, size: size, digest: digest, name: name,
            touched: now())
        try files.make(Self.folder)
        try files.create(upload.file)
        open[upload.id] = upload
        return upload
    }

    /// Forgets the oldest upload of whoever has most, where there are too many in all.
    private func makePlace(for uploader: String?) throws(Refusal) {
        guard open.count >= Upload.most else { return }
        let counts = Dictionary(grouping: open.values, by: \.uploader).mapValues(\.count)
        let (own, most) = (counts[uploader] ?? 0, counts.values.max() ?? 0)
        let oldest = open.values
            .filter { counts[$0.uploader] == most && claimed[$0.id] == nil }
            .min { ($0.touched, $0.id) < ($1.touched, $1.id) }
        guard let oldest, most >= own + 2 else {
            throw .unavailable("Too many files are being uploaded at this moment; try again later.")
        }
        forget(oldest)
    }

    /// Takes the next piece.
    ///
    /// - Throws: 1 where there is no such upload, 3 where the piece does not begin where the last one ended, 4 where
    ///   it is too long.
    package func append(_ bytes: Data, to id: String, at offset: Int, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard offset == upload.length else {
            throw Refusal.conflict(
                "The next piece begins at \(upload.length), not at \(offset).",
                data: ["offset": .integer(Int64(upload.length))])
        }
        guard bytes.count <= upload.size - upload.length else {
            throw Refusal.invalid("data", "goes beyond the \(upload.size) bytes that the file was to have")
        }
        try files.append(Array(bytes), to: upload.file, at: offset)
        upload.hash.update(data: bytes)
        upload.length += bytes.count
        upload.touched = now()
        open[id] = upload
        return upload
    }

    /// Checks a file that has come, which is on the disk when this returns.
    ///
    /// - Throws: 1 where there is no such upload, 3 where it is not whole yet, 4 where it is not what it was to be, 5
    ///   where the disk refuses it; in these last cases it is gone.
    package func finish(_ id: String, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard !upload.isFinished else { return upload }
        guard upload.length == upload.size else {
            throw Refusal.conflict(
                "\(upload.size - upload.length) bytes are still to come.",
                data: ["offset": .integer(Int64(upload.length))])
        }
        let digest = upload.hash.finalize().hexadecimal
        guard digest == upload.digest else {
            forget(upload)
            throw Refusal.invalid("sha256", "is not that of the bytes that came, \(digest); begin anew")
        }
        do {
            try files.synchronize(upload.file)
            try files.synchronizeNames(in: Self.folder)
        } catch {
            // What the disk has lost once is not to be trusted.
            forget(upload)
            throw error
        }
        upload.isFinished = true
        upload.touched = now()
        open[id] = upload
        return upload
    }

    /// Begins an upload of which nobody says beforehand what it will be.
    ///
    /// - Parameter length: how many bytes it will have, where that is known.
    func beginUnknown(length: Int?, by uploader: String?, room: Budget.Room?) throws -> Upload {
        let size = length ?? Upload.greatestSize
        // Of no file, so that it is not taken for one that was begun.
        return try begin(
            size: size, digest: "unknown \(UUID().uuidString)", name: nil, by: uploader,
            room: length == nil ? nil : room)
    }

    /// Ends an upload that was begun by ``beginUnknown(length:by:room:)``: what has come is what it was to be.
    func finishUnknown(_ id: String, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard upload.length > 0 else { throw Refusal.invalid("size", "must be at least 1 byte") }
        upload.size = upload.length
        upload.digest = upload.hash.finalize().hexadecimal
        open[id] = upload
        return try finish(id, by: uploader)
    }

    /// Forgets an upload, begun or finished; one that is being used, once that has come to nothing.
    ///
    /// - Throws: 1 where there is no such upload.
    func cancel(_ id: String, by uploader: String?) async throws {
        while try claimed[find(id, by: uploader).id] != nil { await endOfUse(of: id) }
        forget(try find(id, by: uploader))
    }

    /// Takes an upload that is finished for one use, which ends by ``use(up:)`` or ``release(_:)``.
    ///
    /// Waits while it is being used, so that who comes second is told what they would be told later.
    /// - Throws: as ``finished(_:by:)`` does.
    func claim(_ id: String, by uploader: String?) async throws -> Upload {
        while true {
            let upload = try finished(id, by: uploader)
            guard claimed[id] != nil else {
                claimed[id] = []
                return upload
            }
            await endOfUse(of: id)
        }
    }

    /// Forgets an upload that was claimed, and of which something was made.
    func use(up upload: Upload) { forget(upload) }

    /// Lets an upload be used again, of which nothing was made.
    func release(_ id: String) {
        for waiting in claimed.removeValue(forKey: id) ?? [] { waiting.resume() }
    }

    /// How many wait for the end of an upload's use.
    func waiting(for id: String) -> Int { claimed[id]?.count ?? 0 }

    /// Waits until an upload is no longer used; that takes as long as a picture is read and written.
    private func endOfUse(of id: String) async {
        await withCheckedContinuation { claimed[id, default: []].append($0) }
    }

    /// An upload that is finished.
    ///
    /// - Throws: 1 where there is no such upload, 3 where it is not finished.
    func finished(_ id: String, by uploader: String?) throws -> Upload {
        let upload = try find(id, by: uploader)
        guard upload.isFinished else {
            throw Refusal.conflict(
                "The upload is not finished; uploads.finish does that.",
                data: ["offset": .integer(Int64(upload.length))])
        }
        return upload
    }

    /// Another's upload is as if it were not there.
    private func find(_ id: String, by uploader: String?) throws -> Upload {
        expire()
        guard let upload = open[id], upload.uploader == uploader else {
            throw Refusal.notFound("There is no upload \(id); uploads.begin begins one.")
        }
        return upload
    }

    private func forget(_ upload: Upload) {
        open[upload.id] = nil
        files.remove(upload.file)
        release(upload.id)
    }

    /// Forgets what nobody goes on with.
    private func expire() {
        let time = now()
        for upload in open.values where claimed[upload.id] == nil {
            if time.milliseconds(since: upload.touched) >= Upload.patience {
                forget(upload)
            } else if upload.touched > time {
                // The clock was set back, and nobody knows how long ago that was.
                open[upload.id]?.touched = time
            }
        }
    }
}
