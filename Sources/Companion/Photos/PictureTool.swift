import Foundation
import Glibc
import ImageMetadata
import RPC
import Service
import Store
import Subprocess

/// The tool that draws pictures: GraphicsMagick in a separate process with limits on memory, time and files.
///
/// A malicious picture can therefore damage only its own output. One picture is drawn at a time. People take turns, so
/// one person's pictures delay another's by at most the time for one picture.
package actor PictureTool {
    /// The kinds of pictures that are made from a photo.
    ///
    /// Each is an upright JPEG without metadata.
    package enum Product: String, CaseIterable {
        /// The centre of the photo, as a square of 400 pixels.
        case square
        /// The whole photo.
        case copy

        /// The maximum size of the file, in bytes.
        ///
        /// A square typically has ten thousand.
        fileprivate var longest: Int {
            switch self {
            case .square: 1 << 20
            case .copy: Upload.greatestSize
            }
        }
    }

    private let folder: StateFolder
    private let tool: String
    private let turns = FairLock(
        refusal: "Too many pictures are being drawn at the moment. Try again later.")
    /// The products that the tool failed to make, by name.
    private var failed = FailedDrawings()

    /// The width and height of a square, in pixels.
    static let side = 400
    /// The limits on the tool's address space and on the size of a file that it writes, in bytes.
    ///
    /// A photo of 12 megapixels takes a sixth of it.
    private static let maximumMemory = 1 << 30
    /// The limit on the tool's processor time and running time, in seconds.
    ///
    /// A photo from a phone takes some seconds on a small machine.
    private static let longestTime = 30

    /// Creates a tool for the photos in a folder.
    ///
    /// - Parameter tool: The command of GraphicsMagick.
    init(folder: StateFolder, tool: String) {
        self.folder = folder
        self.tool = tool
    }

    /// Returns the bytes of a product.
    ///
    /// Reads the file beside that of the photo if it is intact, and makes it if it is not.
    ///
    /// - Parameters:
    ///   - person: The person who requests it, or `nil` if nobody is signed in.
    /// - Throws: `Refusal` (`.unavailable`) if GraphicsMagick is missing or cannot draw the photo, or if too many
    ///   requests are waiting.
    func make(_ product: Product, of photo: Photo, for person: String?) async throws -> [UInt8] {
        let name = PhotoFiles.name(of: product, photo.digest)
        if let known = known(name, product) { return known }
        try await turns.begin(for: person)
        do {
            let bytes = try await makeNow(product, of: photo, as: name)
            await turns.end()
            return bytes
        } catch {
            await turns.end()
            throw error
        }
    }

    /// Returns the bytes of a product that was made before, or `nil` if there is no intact file.
    private func known(_ name: String, _ product: Product) -> [UInt8]? {
        guard let status = try? folder.status(of: name), status.size <= product.longest,
            let bytes = try? folder.read(name, size: status.size),
            (try? Picture(PictureBytes(Data(bytes))))?.kind == .jpeg
        else { return nil }
        return bytes
    }

    private func makeNow(_ product: Product, of photo: Photo, as name: String) async throws -> [UInt8] {
        // An earlier turn may have made the same product.
        if let known = known(name, product) { return known }
        switch failed.verdict(on: name, at: .now) {
        case .may: break
        case .later: throw Self.cut
        case .never: throw Self.failure()
        }
        if let damage = folder.damage(of: photo.digest, size: photo.size) { throw photo.refusal(damage) }
        let scratch = try emptyScratch()
        defer { folder.remove(scratch) }
        let drawn: [UInt8]
        do throws(Command.Failure) {
            drawn = try await draw(product, "\(photo.kind.rawValue):\(photo.digest)", scratch)
        } catch {
            if let refusal = refusal(error) { throw refusal }
            guard !error.isCut else {
                failed.cut(name, at: .now)
                throw Self.cut
            }
            failed.giveUp(name)
            throw Self.failure(error)
        }
        // GraphicsMagick copies metadata to its output, so remove them.
        guard let picture = try? Picture(PictureBytes(Data(drawn))), picture.kind == .jpeg, let copy = picture.copy
        else {
            failed.giveUp(name)
            throw Self.failure()
        }
        failed.forget(name)
        let bytes = copy.bytes(of: drawn)
        // If the photo was removed meanwhile, its product would never be deleted, so do not write it. If writing fails,
        // the product is made again next time.
        if folder.has(photo.digest) { try? folder.write(bytes, to: name) }
        return bytes
    }

    /// Draws a picture of one pixel in the way in which photos are drawn.
    ///
    /// - Throws: `Refusal` (`.unavailable`) with the tool's message if that fails.
    package func tryOut() async throws {
        try await turns.begin(for: nil)
        do {
            try await drawPixel()
            await turns.end()
        } catch {
            await turns.end()
            throw error
        }
    }

    private func drawPixel() async throws {
        let scratch = try emptyScratch()
        defer { folder.remove(scratch) }
        let name = "\(scratch)/pixel"
        try folder.create(name)
        // A red pixel in the format of netpbm, "ppm(5)".
        try folder.append(Array("P6 1 1 255\n".utf8) + [0xFF, 0, 0], to: name, at: 0)
        do throws(Command.Failure) {
            _ = try await draw(.square, "ppm:\(name)", scratch)
        } catch {
            throw refusal(error) ?? Refusal.unavailable("GraphicsMagick \(error)")
        }
    }

    /// Makes an empty folder for the tool's temporary files, and removes what an aborted run has left there.
    private func emptyScratch() throws -> String {
        let scratch = "\(StateFolder.scratch)/tool"
        try folder.use()
        folder.remove(scratch)
        try folder.make(StateFolder.scratch)
        try folder.make(scratch)
        return scratch
    }

    private func draw(_ product: Product, _ source: String, _ scratch: String) async throws(Command.Failure) -> [UInt8]
    {
        let command = Command(words: arguments(product, source), environment: environment(scratch))
        return try await command.run(given: [], within: Self.longestTime, maximumOutput: product.longest)
    }

    /// Returns the refusal if no picture at all can be drawn, or `nil` if only the one picture may be at fault.
    private func refusal(_ failure: Command.Failure) -> Refusal? {
        switch failure.reason {
        case .missing:
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return switch Self.missing(of: ["timeout", "env", "prlimit", "setpriv", tool], in: path) {
            case tool?:
                .unavailable(
                    "GraphicsMagick, which draws pictures, is missing. Install it with: "
                        + "apt-get install --no-install-recommends graphicsmagick")
            case let command?:
                .unavailable(
                    "Pictures cannot be drawn: the command \(command) is missing. Install it with: apt-get install "
                        + "coreutils util-linux")
            case nil:
                .unavailable(
                    "Pictures cannot be drawn: GraphicsMagick cannot be run."
                        + (failure.lastLines.map { " It says: \($0)" } ?? ""))
            }
        case .notRun: return .unavailable("Pictures cannot be drawn: the tool \(failure).")
        default: return nil
        }
    }

    /// Returns the first command that is in no folder of a search path; `nil` if all are.
    ///
    /// The exit status of a command that runs another one does not say which of them is missing.
    static func missing(of commands: [String], in path: String) -> String? {
        let folders = path.split(separator: ":")
        return commands.first { command in
            let files = command.contains("/") ? [command] : folders.map { "\($0)/\(command)" }
            return !files.contains { FileManager.default.isExecutableFile(atPath: $0) }
        }
    }

    private static let cut = Refusal.unavailable(
        "Drawing this photo took too long or was interrupted. It is tried again later.")

    private static func failure(_ reason: Command.Failure? = nil) -> Refusal {
        .unavailable(
            "GraphicsMagick cannot draw this photo. It may be damaged, too large for this machine, or of a kind "
                + "whose library is missing." + (reason?.lastLines.map { " It says: \($0)" } ?? ""))
    }

    /// Returns the words of the command.
    ///
    /// Each program runs the rest of the words with one more restriction. The format of the input is named explicitly,
    /// so the tool does not guess another one. For a square, a large JPEG is decoded at a fraction of its size.
    private func arguments(_ product: Product, _ source: String) -> [String] {
        let side = Self.side
        var words = ["env", "--chdir=\(folder.path)"]
        words += [
            "prlimit", "--as=\(Self.maximumMemory)", "--fsize=\(Self.maximumMemory)", "--cpu=\(Self.longestTime)",
            "--nofile=64", "--core=0",
        ]
        words += ["setpriv", "--no-new-privs"]
        if getuid() != geteuid() { words += ["--ruid=\(geteuid())", "--rgid=\(getegid())"] }
        words += [
            tool, "convert", "-limit", "threads", "1", "-limit", "memory", "256MB", "-limit", "map", "0", "-limit",
            "pixels", "\(Picture.maximumPixels)",
        ]
        if product == .square { words += ["-size", "\(side * 2)x\(side * 2)"] }
        words += ["\(source)[0]", "-auto-orient"]
        switch product {
        case .square:
            words += [
                "-thumbnail", "\(side)x\(side)^", "-gravity", "center", "-background", "white", "-extent",
                "\(side)x\(side)", "-quality", "80",
            ]
        case .copy: words += ["-background", "white", "-quality", "90"]
        }
        return words + ["jpeg:-"]
    }

    private func environment(_ scratch: String) -> Environment {
        // The tool needs neither the locale nor anything else from the daemon's environment.
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
