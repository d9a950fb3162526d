import Foundation
import Glibc
import RPC
import Subprocess

/// Makes square thumbnails of photos, one at a time, in a process of its own whose memory, time and files are bounded: a
/// picture made to do harm harms nothing but its own thumbnail.
actor Thumbnails {
    private let folder: StateFolder
    private let tool: String
    private var last: Task<Void, Never>?
    /// Those of which none can be made, by digest; asked for again they would take as long again.
    private var hopeless: Set<String> = []

    /// How wide and high they are, in pixels.
    static let side = 400
    /// The most bytes of one; at this size it has some ten thousand.
    private static let longest = 1 << 20
    /// What the tool may take of address space and for a temporary file, in bytes.
    ///
    /// A photo of 12 megapixels takes a sixth of it.
    private static let mostMemory = 1 << 30
    /// What it may take in seconds, of the processor and all in all.
    private static let longestTime = 60
    /// Beyond so many digests the hopeless ones are forgotten.
    private static let mostHopeless = 1000

    /// Thumbnails beside the photos in a folder.
    ///
    /// - Parameter tool: the command of GraphicsMagick.
    init(folder: StateFolder, tool: String) {
        self.folder = folder
        self.tool = tool
    }

    /// The JPEG of a square thumbnail: the middle of the picture, upright.
    ///
    /// - Throws: 5 where there is no tool, or it cannot make one.
    func square(of photo: Photo) async throws -> [UInt8] {
        let before = last
        let work = Task {
            await before?.value
            return try await self.make(photo)
        }
        last = Task { _ = try? await work.value }
        return try await work.value
    }

    private func make(_ photo: Photo) async throws -> [UInt8] {
        let (digest, kind) = (photo.digest, photo.kind)
        let name = PhotoFiles.square(digest)
        if let kept = known(name) { return kept }
        if let damage = folder.damage(of: digest, size: photo.size) { throw photo.refusal(damage) }
        guard !hopeless.contains(digest) else { throw Self.failure }
        // The temporary files of a tool that is ended are not left behind.
        let scratch = "\(StateFolder.scratch)/square"
        try folder.use()
        folder.remove(scratch)
        try folder.make(StateFolder.scratch)
        try folder.make(scratch)
        defer { folder.remove(scratch) }
        let bytes: [UInt8]
        do {
            let result = try await run(
                .name("env"), arguments: Arguments(arguments(digest, kind)), environment: environment(scratch),
                output: .bytes(limit: Self.longest), error: .discarded)
            // What env, timeout, prlimit and setpriv say where there is no such command.
            guard result.terminationStatus != .exited(127) else {
                throw RPCError.unavailable(
                    "Square pictures are made by GraphicsMagick, which is missing; install it with: "
                        + "apt-get install --no-install-recommends graphicsmagick")
            }
            bytes = result.terminationStatus.isSuccess ? result.standardOutput : []
        } catch let error as SubprocessError {
            guard error.code == .outputLimitExceeded else {
                throw RPCError.unavailable("Square pictures cannot be made: \(error)")
            }
            bytes = []
        }
        guard let picture = try? Picture(PictureBytes(Data(bytes))), picture.kind == .jpeg else {
            if hopeless.count >= Self.mostHopeless { hopeless = [] }
            hopeless.insert(digest)
            throw Self.failure
        }
        // The tool hands on what the camera has noted.
        let data = picture.shared.read(from: 0, count: bytes.count, of: bytes.count) { Array(bytes[$0]) }
        // One whose photo was removed meanwhile would stay.
        guard folder.has(digest) else { return data }
        // Where it cannot be kept, it is made again.
        try? folder.write(data, to: name)
        return data
    }

    /// One that was made before, where it is whole.
    private func known(_ name: String) -> [UInt8]? {
        guard let status = try? folder.status(of: name), status.size <= Self.longest,
            let bytes = try? folder.read(name, size: status.size),
            (try? Picture(PictureBytes(Data(bytes))))?.kind == .jpeg
        else { return nil }
        return bytes
    }

    private static var failure: RPCError {
        .unavailable("No square picture can be made of this photo; it may be damaged, or too large for this machine.")
    }

    /// The command: each word runs the rest, within one bound more.
    ///
    /// The kind of file is said, so that the tool takes it for no other. A large JPEG is read at a fraction of its size.
    private func arguments(_ digest: String, _ kind: Picture.Kind) -> [String] {
        let side = Self.side
        var words = ["--chdir=\(folder.path)"]
        words += ["timeout", "--signal=KILL", "\(Self.longestTime)"]
        words += [
            "prlimit", "--as=\(Self.mostMemory)", "--fsize=\(Self.mostMemory)", "--cpu=\(Self.longestTime)",
            "--nofile=64", "--core=0",
        ]
        words += ["setpriv", "--no-new-privs"]
        if getuid() != geteuid() { words += ["--ruid=\(geteuid())", "--rgid=\(getegid())"] }
        words += [
            tool, "convert", "-limit", "threads", "1", "-limit", "memory", "256MB", "-limit", "map", "0", "-limit",
            "pixels", "\(Picture.mostPixels)", "-size", "\(side * 2)x\(side * 2)", "\(kind.rawValue):\(digest)[0]",
            "-auto-orient", "-thumbnail", "\(side)x\(side)^", "-gravity", "center", "-background", "white", "-extent",
            "\(side)x\(side)", "-quality", "80", "jpeg:-",
        ]
        return words
    }

    private func environment(_ scratch: String) -> Environment {
        // The locale and the rest of the daemon's environment are none of its business.
        var variables: [Environment.Key: String] = [
            "TMPDIR": folder.file(scratch), "MAGICK_TMPDIR": folder.file(scratch),
        ]
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let value = ProcessInfo.processInfo.environment[name] {
                variables[Environment.Key(stringLiteral: name)] = value
            }
        }
        return .custom(variables)
    }
}
