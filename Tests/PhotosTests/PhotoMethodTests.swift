import Daemon
import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import Store
import Subjects
import TestSupport
import Testing

@testable import ImageMetadata
@testable import Photos
@testable import RPC
@testable import Service
@testable import Sights
@testable import SocketServer

@Suite struct PhotoMethodTests {
    private func files(_ core: CoreFixture) -> [String] {
        core.features.media.photos.folder.names().filter(PhotoFiles.isDigest).sorted()
    }

    private func list(
        _ core: CoreFixture, _ parameters: JSONObject = ["subject": "sight/mill"]
    ) async throws
        -> [JSONValue]
    {
        try await core.call(as: "bob", "photos.list", parameters)["photos"].elements
    }

    @Test func theOwnerOfAPhotoReadsTheSameBytesBack() async throws {
        let core = try await MethodCase.world()
        let bytes = TestPicture.jpeg(width: 4000, height: 3000, notes: TestPicture.notes)
        let photo = try await core.photo(bytes, as: "ada", ["caption": " The mill\nat noon "])
        let id = try #require(photo["id"])
        #expect(try await core.read(id, as: "ada") == bytes)
        #expect(photo["caption"] == "The mill\nat noon")
        #expect(photo["type"] == "image/jpeg" && photo["width"] == 3000 && photo["height"] == 4000)
        #expect(photo["size"].number == Double(bytes.count) && photo["sha256"].text == digest(bytes))
        #expect(photo["cover"] == true && photo["position"] == 1 && photo["person"] == "ada")
        #expect(photo["portrait"] == nil)
        #expect(photo["taken"] == "2026-05-01T10:00:01.000Z")
    }

    @Test func othersReadAPhotoWithoutItsMetadata() async throws {
        let core = try await MethodCase.world()
        let bytes = TestPicture.jpeg(notes: TestPicture.notes)
        let upload = try await core.upload(bytes, as: "ada", name: "at-home.jpg")
        let own = try await core.call(as: "ada", "photos.add", ["subject": "sight/mill", "upload": upload])
        #expect(own["name"] == "at-home.jpg")
        let id = try #require(own["id"])
        for person in ["bob", nil] {
            let shown = try await core.read(id, as: person)
            #expect(shown == (try Picture(bytes: bytes).copy?.bytes(of: bytes)))
            #expect(try Picture(bytes: shown).exif.place == nil)
            let photo = try await core.call("photos.get", ["photo": id], from: CoreFixture.connection(as: person))
            #expect(photo["sha256"].text == digest(shown) && photo["size"].number == Double(shown.count))
            for secret in ["name", "taken", "lat", "lon", "trip"] { #expect(photo[secret] == nil) }
        }
        // An administrator counts as another person.
        #expect(try await core.call("photos.get", ["photo": id])["taken"] == nil)
        let wished = try await core.call(as: "ada", "photos.update", ["photo": id, "keep_metadata": true])
        #expect(wished["keep_metadata"] == true)
        #expect(try await core.read(id, as: "bob") == bytes)
        #expect(try await core.call(as: "bob", "photos.get", ["photo": id])["taken"] == "2026-05-01T10:00:01.000Z")
    }

    @Test func olderPhotosGetTheirCopiesAtTheStartOrWhenRead() async throws {
        let core = try await MethodCase.world()
        let bytes = TestPicture.jpeg(notes: TestPicture.notes)
        let id = try #require(try await core.photo(bytes, as: "ada")["id"])
        let copy = try await core.read(id, as: "bob")
        func size() async throws -> Double? {
            try await core.call(as: "bob", "photos.get", ["photo": id])["size"].number
        }
        for isRead in [true, false] {
            try await core.store.write { try $0.execute(sql: "DELETE FROM picture_copy") }
            #expect(try await size() == nil)
            if isRead {
                #expect(try await core.read(id, as: "bob") == copy)
            } else {
                try await core.features.media.makePhotoCopies()
            }
            #expect(try await size() == Double(copy.count))
        }
    }

    @Test func photosKeepTheirOrderCoverAndCaptionThroughChanges() async throws {
        let core = try await MethodCase.world()
        var ids: [JSONValue] = []
        for number in 1...4 {
            let photo = try await core.photo(
                TestPicture.png(width: number), as: "ada", ["caption": .string("Number \(number)")])
            ids.append(try #require(photo["id"]))
        }
        func order() async throws -> [JSONValue] { try await list(core).compactMap { $0["id"] } }
        #expect(try await order() == ids)
        #expect(try await list(core).map { $0["cover"] } == [true, false, false, false])
        let answer = try await core.call("photos.list", ["subject": "sight/mill", "limit": 3], isGuest: true)
        #expect(answer["count"] == 4 && answer["next"] != nil && answer["photos"].elements.count == 3)
        #expect(
            try await core.pages("photos.list", ["subject": "sight/mill", "limit": 3], of: "photos").map(\.count) == [
                3, 1,
            ])

        try await core.call(as: "ada", "photos.update", ["photo": ids[2], "cover": true])
        #expect(try await list(core).map { $0["cover"] } == [false, false, true, false])
        let subject = SubjectID(kind: "sight", id: "mill")
        #expect(try await core.store.read { try Subjects.cover(of: subject, in: $0) } == String(json: ids[2]))
        try await core.call(as: "ada", "photos.update", ["photo": ids[3], "position": 1, "caption": ""])
        #expect(try await order() == [ids[3], ids[0], ids[1], ids[2]])
        #expect(try await list(core)[0]["caption"] == nil)
        try await core.call(as: "ada", "photos.update", ["photo": ids[3], "position": 3])
        #expect(try await order() == [ids[0], ids[1], ids[3], ids[2]])
        try await core.call(as: "ada", "photos.update", ["photo": ids[0], "position": 400])
        #expect(try await order() == [ids[1], ids[3], ids[2], ids[0]])
        #expect(try await list(core).map { $0["position"] } == [1, 2, 3, 4])

        try await core.call(as: "ada", "photos.remove", ["photo": ids[2]])
        #expect(try await order() == [ids[1], ids[3], ids[0]])
        #expect(try await list(core).map { $0["position"] } == [1, 2, 3])
        #expect(try await list(core).map { $0["cover"] } == [true, false, false])
        #expect(try await core.error(as: "ada", "photos.read", ["photo": ids[2]])?.code == .notFound)
        #expect(files(core).count == 3)
        #expect(try await core.store.read { try Subjects.photoCount(of: subject, in: $0) } == 3)
        #expect(try await list(core, ["person": "ada"]).compactMap { $0["id"] } == [ids[3], ids[1], ids[0]])
        #expect(
            try await core.pages("photos.list", ["person": "ada", "limit": 2], of: "photos").map(\.count) == [2, 1])
    }

    @Test func positionsChangeLikeThoseOfAnArray() async throws {
        let core = try await MethodCase.world()
        var random = SeededGenerator(seed: 61)
        var expected: [JSONValue] = []
        for step in 0..<60 {
            let choice = Int.random(in: 0..<4, using: &random)
            if expected.count < 2 || choice == 0 {
                expected.append(try #require(try await core.photo(TestPicture.png(width: step + 1), as: "ada")["id"]))
            } else if choice == 1 {
                let index = Int.random(in: 0..<expected.count, using: &random)
                try await core.call(as: "ada", "photos.remove", ["photo": expected.remove(at: index)])
            } else {
                let index = Int.random(in: 0..<expected.count, using: &random)
                let position = Int.random(in: 1...expected.count, using: &random)
                let photo = expected.remove(at: index)
                expected.insert(photo, at: position - 1)
                try await core.call(
                    as: "ada", "photos.update", ["photo": photo, "position": .integer(Int64(position))])
            }
            #expect(try await list(core).compactMap { $0["id"] } == expected)
        }
        #expect(files(core).count == expected.count)
    }

    @Test func theSameBytesAreStoredOnceAndDeletedWithTheirLastPhoto() async throws {
        let core = try await MethodCase.world()
        try await core.store.write { db in
            _ = try SightStore.put([Sight(id: "tower", title: "Tower", place: fix(0).coordinate)], in: db)
            try db.execute(
                sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'bob') WHERE id = 'tower'")
        }
        let bytes = TestPicture.png()
        try await core.photo(bytes, as: "ada")
        try await core.photo(bytes, as: "ada")
        let third = try await core.photo(bytes, of: "sight/tower", as: "bob")["id"]
        #expect(files(core) == [digest(bytes)])
        #expect(core.features.media.photos.folder.names(in: "uploads").isEmpty)
        // Removing the sight by any path removes its photos.
        try await core.context.editor.change { db, _ in
            try Subjects.remove(SubjectID(kind: "sight", id: "mill"), in: db)
        }
        #expect(files(core) == [digest(bytes)])
        #expect(try await core.read(try #require(third), as: "bob") == bytes)
        try await core.call(as: "bob", "photos.remove", ["photo": try #require(third)])
        #expect(files(core).isEmpty)
        let left = try await core.store.read { db in
            try ["photo", "picture", "loose_picture"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") }
        }
        #expect(left == [0, 0, 0])
    }

    @Test func aDownloadThatHasBegunIsWholeThoughThePhotoIsRemoved() async throws {
        let core = try await MethodCase.world()
        let bytes = TestPicture.png()
        let id = try #require(try await core.photo(bytes, as: "ada")["id"].text)
        let photos = PhotoMethods(core.context, core.features.media)
        let viewer = Viewer(person: "bob")
        let file = try await photos.download([id], for: viewer) { id, db in
            try photos.find(id, for: viewer, nil, in: db).photo
        }
        try await core.call(as: "ada", "photos.remove", ["photo": .string(id)])
        guard case .bytes(let count, let read) = file.source else { throw WrongSource() }
        #expect(count == bytes.count)
        #expect(try await read(0) == bytes)
        await #expect(throws: Refusal.self) { try await read(1) }
    }

    private struct WrongSource: Error {}

    @Test func aRemovedPhotoIsNoLongerASubject() async throws {
        let core = try await MethodCase.world()
        let id = try await core.photo(TestPicture.png(), as: "ada")["id"].text ?? ""
        let subject = SubjectID(kind: "photo", id: id)
        try await core.store.write { _ = try Subjects.makeNumber(of: subject, in: $0) }
        let viewer = Viewer(person: "bob")
        let subjects = core.context.subjects
        let found = try await core.store.read { try subjects.find(subject, for: viewer, in: $0) }
        #expect(found == Subject(id: subject, title: "A photo of Mill", owner: "ada"))
        try await core.context.editor.change { db, _ in
            try Subjects.remove(SubjectID(kind: "sight", id: "mill"), in: db)
        }
        #expect(try await core.store.read { try Subjects.number(of: subject, in: $0) } == nil)
        #expect(try await core.store.read { try subjects.find(subject, for: viewer, in: $0) } == nil)
        // Numbers are not reused.
        #expect(try await core.photo(TestPicture.png(), as: "ada")["id"].text != id)
    }

    @Test func photosOfASubjectAreLimited() async throws {
        let core = try await MethodCase.world()
        try await core.photo(TestPicture.png(), as: "ada")
        try await core.store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
                    INSERT INTO photo (subject, place, picture, added) SELECT subject, n, picture, 0 FROM photo, n
                    """, arguments: [Photos.maximumPerSubject])
        }
        let upload = try await core.upload(TestPicture.png(width: 77), as: "ada")
        let error = try await core.error(as: "ada", "photos.add", ["subject": "sight/mill", "upload": upload])
        #expect(error?.code == .conflict)
        #expect(files(core).count == 1)
    }

    @Test func aFailedChangeLeavesNoFile() async throws {
        let core = try await MethodCase.world()
        try await core.store.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON photo BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
        }
        let upload = try await core.upload(TestPicture.png(), as: "ada")
        let methods = PhotoMethods(core.context, core.features.media)
        let call = Call(caller: CoreFixture.connection(as: "ada"))
        let id = try #require(String(json: upload))
        await #expect(throws: (any Error).self) {
            try await methods.add(call, to: "sight/mill", upload: id, caption: nil, keepsMetadata: false)
        }
        #expect(files(core).isEmpty)
        #expect(try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM picture") } == 0)
    }

    @Test func aPersonHasAPortraitAndACover() async throws {
        let core = try await MethodCase.world()
        var ids: [JSONValue] = []
        for width in 1...3 {
            ids.append(
                try #require(try await core.photo(TestPicture.png(width: width), of: "person/ada", as: "ada")["id"]))
        }
        func flags(_ name: String) async throws -> [JSONValue?] {
            try await list(core, ["subject": "person/ada"]).map { $0[name] }
        }
        #expect(try await flags("portrait") == [true, false, false])
        #expect(try await flags("cover") == [true, false, false])
        try await core.call(as: "ada", "photos.update", ["photo": ids[1], "cover": true])
        try await core.call(as: "ada", "photos.update", ["photo": ids[2], "portrait": true])
        #expect(try await flags("portrait") == [false, false, true])
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Picnic"])["id"])
        let members = try await core.call(as: "ada", "members.list", ["plan": plan])["members"].elements
        #expect(members.map { $0["picture"] } == [ids[2]])
        #expect(try await flags("cover") == [false, true, false])
        try await core.call(as: "ada", "photos.update", ["photo": ids[2], "portrait": false])
        #expect(try await flags("portrait") == [true, false, false])
        let upload = try await core.upload(TestPicture.png(), as: "bob")
        let error = try await core.error(as: "bob", "photos.add", ["subject": "person/ada", "upload": upload])
        #expect(error?.code == .notAllowed)
    }

    @Test func aSightShowsItsCoverAndSavedPhotosAreMarked() async throws {
        let core = try await MethodCase.world()
        #expect(try await core.call("sights.get", ["id": "mill"])["cover"] == nil)
        let id = try await core.photo(TestPicture.png(), as: "ada")["id"]
        try await core.photo(TestPicture.png(width: 3), as: "ada")
        let sight = try await core.call("sights.get", ["id": "mill"], isGuest: true)
        #expect(sight["cover"] == id && sight["photos"] == 2)
        let name = JSONValue.string("photo/\(id.text ?? "")")
        try await core.call(as: "bob", "reactions.set", ["subject": name, "kind": "save", "on": true])
        #expect(try await list(core).map { $0["saved"] } == [true, false])
        let photo: JSONObject = ["photo": try #require(id)]
        #expect(try await core.call(as: "ada", "photos.get", photo)["saved"] == false)
        #expect(try await core.call("photos.get", photo, isGuest: true)["saved"] == nil)
    }
}
