import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Time

@testable import Daemon
@testable import Photos
@testable import Service
@testable import Sights
@testable import SocketServer

@Suite struct UploadMethodTests {
    private let core: CoreFixture
    private let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
    }

    private func begin(_ bytes: [UInt8], as person: String = "ada") async throws -> JSONValue {
        try await core.call(
            as: person, "uploads.begin", ["size": .integer(Int64(bytes.count)), "sha256": .string(digest(bytes))])
    }

    private func piece(_ upload: JSONValue?, _ range: Range<Int>) -> JSONObject {
        [
            "upload": upload ?? .null, "offset": .integer(Int64(range.lowerBound)),
            "data": .string(Data(bytes[range]).base64EncodedString()),
        ]
    }

    @Test func anUploadInPiecesResumesWhereItStopped() async throws {
        let begun = try await begin(bytes)
        let id = begun["upload"]
        #expect(begun["offset"] == 0 && begun["size"] == 5000)
        #expect(begun["expires"] == "2026-05-01T11:00:00.000Z")
        #expect(try await core.call(as: "ada", "uploads.append", piece(id, 0..<3000))["offset"] == 3000)
        for range in [0..<3000, 2999..<5000, 3001..<5000] {
            let error = try await core.error(as: "ada", "uploads.append", piece(id, range))
            #expect(error?.code == .conflict)
            #expect(error?.data?["offset"] == 3000)
        }
        let early = try await core.error(as: "ada", "uploads.finish", ["upload": id ?? .null])
        #expect(early?.code == .conflict && early?.data?["offset"] == 3000)
        // After a lost connection, the upload of the same file continues.
        let again = try await begin(bytes)
        #expect(again["upload"] == id && again["offset"] == 3000)
        #expect(try await core.call(as: "ada", "uploads.append", piece(id, 3000..<5000))["offset"] == 5000)
        for _ in 0..<2 {
            #expect(try await core.call(as: "ada", "uploads.finish", ["upload": id ?? .null])["offset"] == 5000)
        }
        let file = core.features.media.photos.folder.file("uploads/\(id.text ?? "")")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(bytes))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: core.features.media.photos.folder.path)
        #expect(folder[.posixPermissions] as? Int == 0o700)
        try await core.call(as: "ada", "uploads.cancel", ["upload": id ?? .null])
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func anUploadWithTheWrongDigestIsDeleted() async throws {
        let wrong = try await core.call(
            as: "ada", "uploads.begin", ["size": 3000, "sha256": .string(digest([1, 2, 3]))])["upload"]
        try await core.call(as: "ada", "uploads.append", piece(wrong, 0..<3000))
        let error = try await core.error(as: "ada", "uploads.finish", ["upload": wrong ?? .null])
        #expect(error?.code == .invalidValue && error?.data?["field"] == "sha256")
        #expect(try await core.error(as: "ada", "uploads.finish", ["upload": wrong ?? .null])?.code == .notFound)
        #expect(core.features.media.photos.folder.names(in: "uploads").isEmpty)
    }

    @Test func uploadsOfAnotherPersonAreNotFound() async throws {
        let id = try await begin(bytes)["upload"] ?? .null
        for connection in [CoreFixture.connection(as: "bob"), CoreFixture.admin] {
            for method in ["uploads.finish", "uploads.cancel"] {
                #expect(try await core.error(method, ["upload": id], from: connection)?.code == .notFound)
            }
            #expect(try await core.error("uploads.append", piece(id, 0..<1), from: connection)?.code == .notFound)
        }
        // An upload of the same file by another person is another upload.
        #expect(try await begin(bytes, as: "bob")["upload"] != id)
    }

    @Test func `uploads are shared fairly among those who upload`() async throws {
        for number in 0..<Upload.maximumPerPerson { _ = try await begin([UInt8(number)]) }
        let parameters: JSONObject = ["size": 1, "sha256": .string(digest([200]))]
        #expect(try await core.error(as: "ada", "uploads.begin", parameters)?.code == .conflict)
        // Fill all places with people who have as many uploads as one person may have.
        let people = Upload.maximumCount / Upload.maximumPerPerson - 1
        for person in 0..<people {
            for number in 0..<Upload.maximumPerPerson { _ = try await begin([UInt8(number)], as: "p\(person)") }
        }
        func open() -> Int { core.features.media.photos.folder.names(in: "uploads").count }
        #expect(open() == Upload.maximumCount)
        // A person with fewer uploads takes over places, until nobody has two more than that person.
        for number in 0..<Upload.maximumPerPerson - 1 { _ = try await begin([UInt8(number)], as: "bob") }
        #expect(open() == Upload.maximumCount)
        let error = try await core.error(
            as: "bob", "uploads.begin", ["size": 1, "sha256": .string(digest([UInt8(Upload.maximumPerPerson)]))])
        #expect(error?.code == .unavailable)
        // After an hour the idle uploads have expired.
        core.clock.time = core.clock.time.advanced(byMilliseconds: Upload.idleTimeout)
        #expect(try await core.error("uploads.begin", parameters) == nil)
        #expect(open() == 1)
    }

    @Test func bytesOfPhotosOfAPersonAreLimited() async throws {
        var settings = MediaSettings()
        let first = TestPicture.png(width: 10)
        settings.storage = first.count * 2 + 10
        let core = try CoreFixture(media: settings)
        try core.people("ada", "bob", "cai")
        try await core.store.write { db in
            _ = try SightStore.put([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)], in: db)
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
        let id = try await core.photo(first, as: "ada")["id"]
        func begin(_ size: Int, _ seed: UInt8, as person: String) async throws -> RPCError? {
            try await core.error(
                as: person, "uploads.begin", ["size": .integer(Int64(size)), "sha256": .string(digest([seed]))])
        }
        #expect(try await begin(first.count, 1, as: "ada") == nil)
        // Bytes that are being uploaded count as well.
        let error = try await begin(11, 2, as: "ada")
        #expect(error?.code == .unavailable && error?.data?["limit"] == .integer(Int64(settings.storage)))
        // The same picture needs no more room, others have their own room, and removing a photo frees room.
        let again = try await core.call(
            as: "ada", "uploads.begin", ["size": .integer(Int64(first.count)), "sha256": .string(digest(first))])
        try await core.call(as: "ada", "uploads.cancel", ["upload": again["upload"] ?? .null])
        #expect(try await begin(first.count, 2, as: "bob") == nil)
        try await core.call(as: "ada", "photos.remove", ["photo": try #require(id)])
        #expect(try await begin(11, 2, as: "ada") == nil)
        // Photos stored since the upload began count when the upload is used.
        let upload = try await core.upload(TestPicture.png(width: 11), as: "cai")
        try await core.photo(first, of: "person/cai", as: "cai")
        try await core.store.write { [storage = settings.storage] db in
            try db.execute(sql: "UPDATE picture SET size = ?", arguments: [storage])
        }
        let full = try await core.error(as: "cai", "photos.add", ["subject": "person/cai", "upload": upload])
        #expect(full?.code == .unavailable && full?.data?["reason"] == "quota")
    }

    @Test func anUploadExpiresAnHourAfterItsLastPiece() async throws {
        let id = try await begin(bytes)["upload"]
        core.clock.time = core.clock.time.advanced(byMilliseconds: Upload.idleTimeout - 1)
        try await core.call(as: "ada", "uploads.append", piece(id, 0..<1000))
        core.clock.time = core.clock.time.advanced(byMilliseconds: Upload.idleTimeout - 1)
        try await core.call(as: "ada", "uploads.append", piece(id, 1000..<2000))
        core.clock.time = core.clock.time.advanced(byMilliseconds: Upload.idleTimeout)
        #expect(try await core.error(as: "ada", "uploads.append", piece(id, 2000..<3000))?.code == .notFound)
        #expect(core.features.media.photos.folder.names(in: "uploads").isEmpty)
    }

    @Test func uploadsOfAnEarlierProcessAreDeleted() async throws {
        let folder = try TemporaryFolder()
        let store = try LocationDatabase.open(
            at: folder.file("van.sqlite"), migrations: FeatureList.standard.migrations)
        let state = StateFolder(of: store)
        #expect(state.path == folder.file("van.sqlite.photos"))
        try state.use()
        try state.make("uploads")
        try state.write([1], to: "uploads/old")
        let uploads = Uploads(files: state) { moment(0) }
        _ = try await uploads.begin(size: 1, digest: digest([1]), name: nil, by: nil)
        #expect(state.names(in: "uploads").count == 1)
        #expect(!state.has("uploads/old"))
    }

    @Test func usingAnUploadWaitsForItsEarlierUse() async throws {
        let uploads = core.features.media.uploads
        let uploaded: JSONValue? = try await core.upload(bytes, as: "ada")
        let id = try #require(uploaded.text)
        func isAwaited() async { while await uploads.waiting(for: id) == 0 { await Task.yield() } }
        let first = try await uploads.claim(id, by: "ada")
        async let second = uploads.claim(id, by: "ada")
        await isAwaited()
        await uploads.release(first.id)
        // The first claim was released without using the upload.
        let upload = try await second
        #expect(upload.id == id)
        async let third = core.error(as: "ada", "uploads.cancel", ["upload": .string(id)])
        await isAwaited()
        await uploads.use(up: upload)
        #expect(try await third?.code == .notFound)
        #expect(core.features.media.photos.folder.names(in: "uploads").isEmpty)
    }

    @Test func anUploadIsUsedByOnlyOneOfTwoConcurrentCalls() async throws {
        for number in 0..<8 {
            let upload = try await core.upload(TestPicture.png(width: 10 + number), as: "ada")
            let photo: JSONObject = ["subject": "person/ada", "upload": upload]
            async let first = core.error(as: "ada", "photos.add", photo)
            async let second = core.error(as: "ada", "photos.add", photo)
            let codes = try await [first?.code, second?.code]
            #expect(codes == [nil, .notFound] || codes == [.notFound, nil])
        }
    }

    @Test func theLongestPieceFitsIntoALine() {
        #expect((Upload.longestPiece + 2) / 3 * 4 < LineFraming.maximumLength - 10_000)
    }
}
