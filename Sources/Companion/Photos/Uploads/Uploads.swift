import Crypto
package import Foundation
import People
import RPC
import Service
import Time

/// The uploads in progress and those that are complete but not used yet.
///
/// An upload is deleted an hour after its last piece arrived, unless it is used before. All uploads are lost when the
/// process ends.
public actor Uploads {
    /// The folder of the uploaded files, within the state folder.
    package static let folder = "uploads"

    private let files: StateFolder
    private let now: @Sendable () -> Timestamp
    private var open: [String: Upload] = [:]
    /// The uploads in use, each with the tasks that wait until the use ends.
    private var claimed: [String: [CheckedContinuation<Void, Never>]] = [:]
    /// Whether the files of an earlier process are deleted.
    private var isClean = false

    /// Creates the uploads of a folder.
    ///
    /// There must be no second instance for the same folder.
    init(files: StateFolder, now: @escaping @Sendable () -> Timestamp) {
        self.files = files
        self.now = now
    }

    /// Begins an upload, or resumes one that the uploader has begun for the same file.
    ///
    /// If there are too many uploads in total, it replaces the oldest upload of the uploader who has the most, provided
    /// that this uploader has at least two more.
    ///
    /// - Parameter room: What the uploader may still store, or `nil` for no limit.
    /// - Throws: `Refusal` (`.conflict`) if the uploader has too many uploads, and `.unavailable` if they have no room
    ///   for the file or there are too many uploads in total.
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
        guard open.values.count(where: { $0.uploader == uploader }) < Upload.maximumPerPerson else {
            throw Refusal.conflict(
                "You have \(Upload.maximumPerPerson) unused uploads, the maximum. Use one, or delete it with uploads.cancel."
            )
        }
        // Files with the same digest become one picture, so this file's other uploads do not count.
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

    /// Deletes the oldest upload of the uploader who has the most, if there are too many in total.
    private func makePlace(for uploader: String?) throws(Refusal) {
        guard open.count >= Upload.maximumCount else { return }
        let counts = Dictionary(grouping: open.values, by: \.uploader).mapValues(\.count)
        let (own, most) = (counts[uploader] ?? 0, counts.values.max() ?? 0)
        let oldest = open.values
            .filter { counts[$0.uploader] == most && claimed[$0.id] == nil }
            .min { ($0.touched, $0.id) < ($1.touched, $1.id) }
        guard let oldest, most >= own + 2 else {
            throw .unavailable("Too many files are being uploaded at the moment. Try again later.")
        }
        forget(oldest)
    }

    /// Appends bytes to an upload.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is no such upload, `.conflict` if `offset` is not where the last
    ///   piece ended, and `.invalidValue` if the piece goes beyond the file's size.
    package func append(_ bytes: Data, to id: String, at offset: Int, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard offset == upload.length else {
            throw Refusal.conflict(
                "The next piece must begin at \(upload.length), not at \(offset).",
                data: ["offset": .integer(Int64(upload.length))])
        }
        guard bytes.count <= upload.size - upload.length else {
            throw Refusal.invalid("data", "goes beyond the announced size of \(upload.size) bytes")
        }
        try files.append(Array(bytes), to: upload.file, at: offset)
        upload.hash.update(data: bytes)
        upload.length += bytes.count
        upload.touched = now()
        open[id] = upload
        return upload
    }

    /// Completes an upload: checks its digest and writes it to the disk.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is no such upload, `.conflict` if bytes are missing, `.invalidValue`
    ///   if the digest is wrong, and `.unavailable` if the disk fails. In the last two cases, the upload is deleted.
    package func finish(_ id: String, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard !upload.isFinished else { return upload }
        guard upload.length == upload.size else {
            throw Refusal.conflict(
                "\(upload.size - upload.length) bytes are still missing. Call uploads.append to send them.",
                data: ["offset": .integer(Int64(upload.length))])
        }
        let digest = upload.hash.finalize().hexadecimal
        guard digest == upload.digest else {
            forget(upload)
            throw Refusal.invalid(
                "sha256", "does not match the received bytes, whose SHA-256 is \(digest); begin a new upload")
        }
        do {
            try files.synchronize(upload.file)
            try files.synchronizeNames(in: Self.folder)
        } catch {
            // After a failed synchronisation, the data on the disk cannot be trusted.
            forget(upload)
            throw error
        }
        upload.isFinished = true
        upload.touched = now()
        open[id] = upload
        return upload
    }

    /// Begins an upload whose digest is not known beforehand.
    ///
    /// - Parameter length: The number of bytes, or `nil` if that is not known either.
    func beginUnknown(length: Int?, by uploader: String?, room: Budget.Room?) throws -> Upload {
        let size = length ?? Upload.greatestSize
        // The digest is unique, so `begin` does not resume another upload.
        return try begin(
            size: size, digest: "unknown \(UUID().uuidString)", name: nil, by: uploader,
            room: length == nil ? nil : room)
    }

    /// Completes an upload that ``beginUnknown(length:by:room:)`` began.
    ///
    /// Its size and digest are those of the received bytes.
    func finishUnknown(_ id: String, by uploader: String?) throws -> Upload {
        var upload = try find(id, by: uploader)
        guard upload.length > 0 else { throw Refusal.invalid("size", "must be at least 1 byte") }
        upload.size = upload.length
        upload.digest = upload.hash.finalize().hexadecimal
        open[id] = upload
        return try finish(id, by: uploader)
    }

    /// Deletes an upload, complete or not.
    ///
    /// If the upload is in use, this waits until the use ends.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is no such upload, or if its use has succeeded.
    func cancel(_ id: String, by uploader: String?) async throws {
        while try claimed[find(id, by: uploader).id] != nil { await endOfUse(of: id) }
        forget(try find(id, by: uploader))
    }

    /// Reserves a complete upload for one use, which ``use(up:)`` or ``release(_:)`` ends.
    ///
    /// If the upload is in use, this waits until the use ends, so that the second caller gets the final result.
    ///
    /// - Throws: What ``finished(_:by:)`` throws.
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

    /// Deletes a reserved upload after it was used successfully.
    func use(up upload: Upload) { forget(upload) }

    /// Ends the reservation of an upload whose use failed.
    ///
    /// It can be used again.
    func release(_ id: String) {
        for waiting in claimed.removeValue(forKey: id) ?? [] { waiting.resume() }
    }

    /// Returns the number of tasks that wait until the use of an upload ends.
    func waiting(for id: String) -> Int { claimed[id]?.count ?? 0 }

    /// Waits until an upload is no longer in use, which takes as long as reading and storing a picture.
    private func endOfUse(of id: String) async {
        await withCheckedContinuation { claimed[id, default: []].append($0) }
    }

    /// Returns a complete upload.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is no such upload, and `.conflict` if it is not complete.
    func finished(_ id: String, by uploader: String?) throws -> Upload {
        let upload = try find(id, by: uploader)
        guard upload.isFinished else {
            throw Refusal.conflict(
                "The upload is not finished. Call uploads.finish first.",
                data: ["offset": .integer(Int64(upload.length))])
        }
        return upload
    }

    /// Returns an upload of the uploader.
    ///
    /// Another person's upload counts as not found.
    ///
    /// - Throws: `Refusal` (`.notFound`).
    private func find(_ id: String, by uploader: String?) throws -> Upload {
        expire()
        guard let upload = open[id], upload.uploader == uploader else {
            throw Refusal.notFound("There is no upload \(id). Call uploads.begin to begin one.")
        }
        return upload
    }

    private func forget(_ upload: Upload) {
        open[upload.id] = nil
        files.remove(upload.file)
        release(upload.id)
    }

    /// Deletes abandoned uploads.
    private func expire() {
        let time = now()
        for upload in open.values where claimed[upload.id] == nil {
            if time.milliseconds(since: upload.touched) >= Upload.idleTimeout {
                forget(upload)
            } else if upload.touched > time {
                // The clock was set back. The time since the last piece is unknown, so it starts over.
                open[upload.id]?.touched = time
            }
        }
    }
}
