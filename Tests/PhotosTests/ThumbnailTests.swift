import Daemon
import FeatureSupport
import Foundation
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing

@testable import ImageMetadata
@testable import Photos
@testable import Service
@testable import Sights
@testable import SocketServer

@Suite(.slow, .serialized) struct ThumbnailTests {
    /// Whether GraphicsMagick is installed.
    static let hasTool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/gm")
    }

    /// Adds a photo of the mill to a fixture whose picture tool is the command `tool`.
    private func photo(_ bytes: [UInt8], tool: String = "gm") async throws -> (core: CoreFixture, photo: JSONValue) {
        var settings = MediaSettings()
        settings.pictureTool = tool
        let core = try CoreFixture(media: settings)
        try await core.store.write { db in
            _ = try SightStore.put([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)], in: db)
        }
        let upload = try await core.upload(bytes, from: CoreFixture.admin)
        let photo = try await core.call("photos.add", ["subject": "sight/mill", "upload": upload])
        return (core, try #require(photo["id"]))
    }

    @Test(
        .enabled(if: hasTool, "GraphicsMagick makes them"),
        arguments: [
            TestPicture.jpeg(width: 3000, height: 2000, notes: TestPicture.notes),
            TestPicture.png(width: 30, height: 2000),
        ])
    func aSquareThumbnailIsMadeOnceAndKept(_ bytes: [UInt8]) async throws {
        let (core, photo) = try await photo(bytes)
        let square = try await core.read(photo, as: nil, ["size": "square"])
        let picture = try Picture(bytes: square)
        #expect((picture.kind, picture.width, picture.height) == (.jpeg, PictureTool.side, PictureTool.side))
        #expect(picture.exif == Exif())
        let name = PhotoFiles.name(of: .square, digest(bytes))
        let kept = TestPicture.jpeg(width: 24)
        try core.features.media.photos.folder.write(kept, to: name)
        #expect(try await core.read(photo, as: nil, ["size": "square"]) == kept)
        #expect(!core.features.media.photos.folder.names(in: "scratch").contains { $0 == "square" })
        try await core.call("photos.remove", ["photo": photo])
        #expect(!core.features.media.photos.folder.has(name))
    }

    @Test(.enabled(if: hasTool, "GraphicsMagick refuses it"), arguments: [TestPicture.webp(), TestPicture.heic()])
    func anUndecodablePictureHasNoThumbnailAndStaysReadable(_ bytes: [UInt8]) async throws {
        let (core, photo) = try await photo(bytes)
        for _ in 0..<2 {
            let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
            #expect(error?.code == .unavailable)
        }
        #expect(try await core.call("photos.read", ["photo": photo])["sha256"].text == digest(bytes))
    }

    /// A HEIC picture of 60 by 40 pixels that is shown turned, made by libheif's heif-enc, with a place in its Exif
    /// and a description in its XMP.
    private static let heic = try? Array(
        Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "fixtures/pictures/turned.heic")))

    @Test(.enabled(if: hasTool, "GraphicsMagick draws it anew"))
    func othersReceiveAHEICPhotoAsAJPEGWithoutMetadata() async throws {
        let bytes = try #require(Self.heic)
        let (core, photo) = try await photo(bytes)
        let own = try await core.call("photos.get", ["photo": photo])
        #expect(own["type"] == "image/heic" && own["width"] == 40 && own["height"] == 60)
        #expect(abs((own["lat"].number ?? 0) - 52.37) < 1e-4)
        let before = try await core.call("photos.get", ["photo": photo], isGuest: true)
        #expect(before["type"] == "image/jpeg" && before["size"] == nil && before["sha256"] == nil)
        let copy = try await core.read(photo, as: nil)
        let picture = try Picture(bytes: copy)
        #expect((picture.kind, picture.width, picture.height) == (.jpeg, 40, 60))
        #expect(picture.exif == Exif())
        #expect(Data(copy).firstRange(of: Array("SECRETXMP".utf8)) == nil)
        let after = try await core.call("photos.get", ["photo": photo], isGuest: true)
        #expect(after["size"].number == Double(copy.count) && after["sha256"].text == digest(copy))
        // A damaged copy is made again.
        try core.features.media.photos.folder.write([1, 2, 3], to: PhotoFiles.name(of: .copy, digest(bytes)))
        #expect(try await core.read(photo, as: nil) == copy)
        try await core.call("photos.remove", ["photo": photo])
        #expect(!core.features.media.photos.folder.has(PhotoFiles.name(of: .copy, digest(bytes))))
    }

    @Test func withoutTheToolOnlyTheOwnerReadsAHEICPhoto() async throws {
        let bytes = try #require(Self.heic)
        let (core, photo) = try await photo(bytes, tool: "waymark-has-no-such-command")
        let error = try await core.error("photos.read", ["photo": photo], isGuest: true)
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("without the camera's metadata") == true)
        let piece = try await core.call("photos.read", ["photo": photo])
        #expect(piece["sha256"].text == digest(bytes))
    }

    @Test func withoutTheToolThePhotoIsStillReadable() async throws {
        let bytes = TestPicture.jpeg()
        let (core, photo) = try await photo(bytes, tool: "waymark-has-no-such-command")
        let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("apt-get install") == true)
        #expect(try await core.read(photo, as: nil) == bytes)
    }

    @Test func theRefusalNamesTheCommandThatIsMissing() throws {
        let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
        for (folder, name) in [(here, "env"), (there, "prlimit"), (there, "plain")] {
            let file = try folder.file(name, "#!/bin/sh\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: name == "plain" ? 0o600 : 0o700], ofItemAtPath: file)
        }
        let path = "\(here.path):\(there.path)"
        #expect(PictureTool.missing(of: ["env", "prlimit", here.file("env")], in: path) == nil)
        #expect(PictureTool.missing(of: ["env", "prlimit", "setpriv", "gm"], in: path) == "setpriv")
        #expect(PictureTool.missing(of: ["plain"], in: path) == "plain")
        #expect(PictureTool.missing(of: [here.file("gm")], in: path) == here.file("gm"))
    }

    @Test func aToolThatCannotBeRunIsNotReportedAsMissing() async throws {
        let folder = try TemporaryFolder()
        let (core, photo) = try await photo(
            TestPicture.jpeg(), script: "echo 'no library libgm' >&2; exit 127", in: folder)
        let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
        #expect(error?.message.contains("missing") == false)
        #expect(error?.message.contains("no library libgm") == true)
    }

    /// Adds a photo of the mill to a fixture whose picture tool is a script.
    private func photo(
        _ bytes: [UInt8], script: String, in folder: TemporaryFolder
    ) async throws -> (core: CoreFixture, photo: JSONValue) {
        let tool = try folder.file("tool", "#!/bin/sh\n\(script)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
        return try await photo(bytes, tool: tool)
    }

    @Test func aPhotoWhoseDrawingWasCutShortIsTriedAgain() async throws {
        let (bytes, folder) = (TestPicture.jpeg(), try TemporaryFolder())
        let drawn = try folder.file("drawn", TestPicture.jpeg(width: 24))
        let (core, photo) = try await photo(
            bytes, script: "[ -e '\(drawn).flag' ] && exec cat '\(drawn)'; : >'\(drawn).flag'; kill -KILL $$",
            in: folder)
        let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
        #expect(error?.code == .unavailable && error?.message.contains("tried again") == true)
        #expect(try await core.read(photo, as: nil, ["size": "square"]) == TestPicture.jpeg(width: 24))
    }

    @Test func aPhotoThatTheToolRefusesIsNotTriedAgain() async throws {
        let (bytes, folder) = (TestPicture.jpeg(), try TemporaryFolder())
        let log = folder.file("log")
        let (core, photo) = try await photo(bytes, script: "echo run >>'\(log)'; exit 1", in: folder)
        for _ in 0..<2 {
            let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
            #expect(error?.message.contains("cannot draw this photo") == true)
        }
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "run\n")
    }

    /// Commands in place of the tool.
    ///
    /// Each does what a malicious picture could make the tool do.
    @Test(arguments: [
        "exit 1", "kill -SEGV $$", "head -c 3000000 /dev/zero", "echo no picture",
        "head -c 2000000000 /dev/zero | tail",
        "cat $(seq 1 100000 | sed s/.*/x/) 2>&1",
    ])
    func aFailingToolIsAnErrorAndThePhotoStaysReadable(_ script: String) async throws {
        let bytes = TestPicture.jpeg()
        let folder = try TemporaryFolder()
        let (core, photo) = try await photo(bytes, script: script, in: folder)
        let error = try await core.error("photos.read", ["photo": photo, "size": "square"])
        #expect(error?.code == .unavailable)
        #expect(try await core.read(photo, as: nil) == bytes)
    }
}
