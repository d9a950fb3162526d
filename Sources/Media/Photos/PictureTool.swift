import Foundation
import Glibc
import ImageMetadata
import RPC
import Service
import Store
import Subprocess

/// Draws pictures anew by GraphicsMagick, one at a time, in a process of its own whose memory, time and files are
/// bounded: a picture made to do harm harms nothing but what is made of it.
///
/// People take turns, so that nobody's pictures hold up another's for longer than one takes.
package actor PictureTool {
    /// What is made of a photo: a JPEG, upright, with nothing that the camera has noted.
    package enum Product: String, CaseIterable {
        /// The middle of it, 400 pixels square.
        case square
        /// All of it.
        case copy

        /// The most bytes of one; a square has some ten thousand.
        fileprivate var longest: Int {
            switch self {
            case .square: 1 << 20
            case .copy: Upload.greatestSize
            }
        }
    }

    private let folder: StateFolder
    private let tool: String
    private let turns = Turns()
    /// Those that were tried and of which nothing was made; asked for again they would take as long again.
    private var hopeless: Set<String> = []

    /// How wide and high a square is, in pixels.
    static let side = 400
    /// What the tool may take of address space and for a temporary file, in bytes.
    ///
    /// A photo of 12 megapixels takes a sixth of it.
    private static let mostMemory = 1 << 30
    /// What it may take in seconds, of the processor and all in all: a photo of a telephone takes some seconds on a small
    /// machine.
    private static let longestTime = 30
    /// Beyond so many the hopeless ones are forgotten.
    private static let mostHopeless = 1000

    /// What makes pictures of the photos in a folder.
    ///
    /// - Parameter tool: the command of GraphicsMagick.
    init(folder: StateFolder, tool: String) {
        self.folder = folder
        self.tool = tool
    }

    /// A file beside that of a photo, made where it is not there or not whole.
    ///
    /// - Parameters:
    ///   - person: who wants it; nil for nobody.
    /// - Throws: 5 where there is no tool, it cannot make one, or too many wait for theirs.
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

    /// One that was made before, where it is whole.
    private func known(_ name: String, _ product: Product) -> [UInt8]? {
        guard let status = try? folder.status(of: name), status.size <= product.longest,
            let bytes = try? folder.read(name, size: status.size),
            (try? Picture(PictureBytes(Data(bytes))))?.kind == .jpeg
        else { return nil }
        return bytes
    }

    private func makeNow(_ product: Product, of photo: Photo, as name: String) async throws -> [UInt8] {
        // Another may have wanted the same.
        if let known = known(name, product) { return known }
        guard !hopeless.contains(name) else { throw Self.failure() }
        if let damage = folder.damage(of: photo.digest, size: photo.size) { throw photo.refusal(damage) }
        let scratch = try emptyScratch()
        defer { folder.remove(scratch) }
        if hopeless.count >= Self.mostHopeless { hopeless = [] }
        hopeless.insert(name)
        let drawn: [UInt8]
        do throws(Command.Failure) {
            drawn = try await draw(product, "\(photo.kind.rawValue):\(photo.digest)", scratch)
        } catch {
            if let refusal = Self.refusal(error) {
                hopeless.remove(name)
                throw refusal
            }
            throw Self.failure(error)
        }
        // The tool hands on what the camera has noted.
        guard let picture = try? Picture(PictureBytes(Data(drawn))), picture.kind == .jpeg, let copy = picture.copy
        else {
            throw Self.failure()
        }
        hopeless.remove(name)
        let bytes = copy.bytes(of: drawn)
        // That of a photo that was removed meanwhile would stay; one that cannot be kept is made again.
        if folder.has(photo.digest) { try? folder.write(bytes, to: name) }
        return bytes
    }

    /// Draws a picture of one pixel as it would draw a photo.
    ///
    /// - Throws: 5 where it cannot, with what the tool says.
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
        // A red pixel (netpbm, "ppm(5)").
        try folder.append(Array("P6 1 1 255\n".utf8) + [0xFF, 0, 0], to: name, at: 0)
        do throws(Command.Failure) {
            _ = try await draw(.square, "ppm:\(name)", scratch)
        } catch {
            throw Self.refusal(error) ?? Refusal.unavailable("GraphicsMagick \(error)")
        }
    }

    /// A folder for the temporary files of the tool: those of one that was ended are not left behind.
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
        return try await command.run(given: [], within: Self.longestTime, mostOutput: product.longest)
    }

    /// Why no picture can be drawn at all; nil where a failure may be that of one picture.
    private static func refusal(_ failure: Command.Failure) -> Refusal? {
        switch failure.reason {
        case .missing:
            .unavailable(
                "Pictures are drawn by GraphicsMagick, which is missing; install it with: "
                    + "apt-get install --no-install-recommends graphicsmagick")
        case .notRun: .unavailable("Pictures cannot be drawn: the tool \(failure).")
        default: nil
        }
    }

    private static func failure(_ reason: Command.Failure? = nil) -> Refusal {
        .unavailable(
            "GraphicsMagick cannot draw this photo; it may be damaged, too large for this machine, or of a kind for "
                + "which a library is missing." + (reason?.lastLines.map { " It says: \($0)" } ?? ""))
    }

    /// The command: each word runs the rest, within one bound more.
    ///
    /// The kind of file is said, so that the tool takes it for no other. A square of a large JPEG is read at a fraction
    /// of its size.
    private func arguments(_ product: Product, _ source: String) -> [String] {
        let side = Self.side
        var words = ["env", "--chdir=\(folder.path)"]
        words += [
            "prlimit", "--as=\(Self.mostMemory)", "--fsize=\(Self.mostMemory)", "--cpu=\(Self.longestTime)",
            "--nofile=64", "--core=0",
        ]
        words += ["setpriv", "--no-new-privs"]
        if getuid() != geteuid() { words += ["--ruid=\(geteuid())", "--rgid=\(getegid())"] }
        words += [
            tool, "convert", "-limit", "threads", "1", "-limit", "memory", "256MB", "-limit", "map", "0", "-limit",
            "pixels", "\(Picture.mostPixels)",
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
