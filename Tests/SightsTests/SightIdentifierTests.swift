import FeatureSupport
import Foundation
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service
@testable import Sights

@Suite struct SightIdentifierTests {
    /// `é` as one scalar and as two.
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private func draft(_ id: String) -> JSONObject {
        ["id": .string(id), "title": "Mill", "description": "A place.", "lat": 1, "lon": 2]
    }

    @Test(arguments: ["mill\u{0}", "mill\u{0}2", "\u{0}", "mi\u{200B}ll", "mill\u{202E}", "mill\n"])
    func anIdWithAnInvisibleCharacterIsRefused(id: String) async throws {
        let core = try CoreFixture()
        try core.people("ada")
        #expect(try await core.error(as: "ada", "sights.add", draft(id))?.code == .invalidValue)
        let row: JSONValue = ["id": .string(id), "title": "Mill", "lat": 1, "lon": 2]
        #expect(try await core.error("sights.import", ["sights": [row]])?.code == .invalidValue)
        #expect(core.liveState.index.all.isEmpty)
        #expect(try core.store.sights().isEmpty)
    }

    @Test func anIdIsNotCutAtU0000() async throws {
        let core = try CoreFixture()
        try await core.call("sights.add", draft("mill"))
        for method in ["sights.get", "sights.remove", "sights.update"] {
            #expect(try await core.error(method, ["id": "mill\u{0}2"])?.code == .notFound)
        }
    }

    @Test func anIdInAnotherNormalFormIsTheSameSight() async throws {
        let core = try CoreFixture()
        try await core.call("sights.add", draft(Self.decomposed))
        #expect(try await core.error("sights.add", draft(Self.composed))?.code == .conflict)
        #expect(core.liveState.index.all.count == 1)
        let sights = try core.store.sights()
        #expect(sights.map { Array($0.id.utf8) } == [Array(Self.composed.utf8)])
        try await core.call("sights.remove", ["id": .string(Self.decomposed)])
        #expect(core.liveState.index.all.isEmpty)
        #expect(try core.store.sights().isEmpty)
    }

    @Test func reactionsUnderAnotherNormalFormBelongToTheSameSight() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        try await core.call("sights.add", draft(Self.composed))
        for id in [Self.composed, Self.decomposed] {
            try await core.call(
                as: "ada", "reactions.set", ["subject": .string("sight/\(id)"), "kind": "heart", "on": true])
        }
        #expect(try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM subject") } == 1)
    }

    @Test func filesWithTheSameIdInTwoNormalFormsAreRefused() throws {
        let folder = try TemporaryFolder()
        let csv = "id,title,lat,lon\n\(Self.composed),A,1,2\n\(Self.decomposed),B,1,2\n"
        try Data(csv.utf8).write(to: URL(fileURLWithPath: folder.file("a.csv")))
        #expect(throws: (any Error).self) { try SightFile.read(path: folder.file("a.csv")) }
    }

    @Test func filesWithU0000InAnIdOrATextAreRefused() throws {
        let folder = try TemporaryFolder()
        for row in ["a\u{0},A,1,2,", "a,A\u{0},1,2,", "a,A,1,2,\u{0}"] {
            try Data("id,title,lat,lon,description\n\(row)\n".utf8).write(
                to: URL(fileURLWithPath: folder.file("a.csv")))
            #expect(throws: (any Error).self) { try SightFile.read(path: folder.file("a.csv")) }
        }
    }

    @Test func aDeviceNameWithAnInvisibleCharacterIsRefused() async throws {
        let core = try CoreFixture()
        let error = try await core.error("trips.import", ["device": "van\u{0}", "points": []])
        #expect(error?.code == .invalidValue)
    }

    @Test func migrationRepairsBadIdsAndEachSightCanBeRemoved() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.sqlite")
        let before = FeatureList.standard.migrations.prefix { $0.name != SightStore.identifierMigration.name }
        let old = try LocationDatabase.open(at: path, migrations: Array(before))
        let ids = ["mill", "mill\u{0}2", "\u{202E}", Self.composed, Self.decomposed, "fine id"]
        try await old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                    VALUES ('ada', 'Ada', 'T', 'a@example.org', 0, 0)
                    """)
            for (number, id) in ids.enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO sight (number, id, title, lat_e7, lon_e7, radius_m, revision)
                        VALUES (:n, CAST(:id AS TEXT), 'Sight', 0, 0, 10, 1);
                        INSERT INTO subject (number, id) SELECT number, 'sight/' || id FROM sight WHERE number = :n;
                        INSERT INTO visit SELECT 1, subject.id, 'van', 0, 'ended' FROM subject WHERE number = :n;
                        INSERT INTO reaction (person, subject, kind, time) VALUES (1, :n, 'heart', 0);
                        """, arguments: ["n": number + 1, "id": Data(id.utf8)])
            }
        }
        try old.close()

        let store = try LocationDatabase.open(at: path, migrations: FeatureList.standard.migrations)
        #expect(
            try store.sights().map(\.id) == ["mill", "mill2", "sight", Self.composed, "\(Self.composed)-2", "fine id"])
        let revisions = Dictionary(
            uniqueKeysWithValues: try store.sightGeofences().all.map { ($0.geofence.identity.id, $0.revision) })
        #expect(revisions["mill"] == 1)
        #expect(revisions["mill2"] == 1 && revisions["sight"] == 2 && revisions["\(Self.composed)-2"] == 3)
        for sight in try store.sights() {
            let subject = SubjectID(kind: "sight", id: sight.id)
            try await store.write { db in
                let number = try Subjects.number(of: subject, in: db)
                let change = try SightStore.remove(sight.id, in: db)
                #expect(number != nil && change != nil, "\(sight.id)")
            }
        }
        for table in ["sight", "subject", "reaction"] {
            #expect(
                try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0, "\(table)")
        }
    }
}

@Suite struct SlugTests {
    /// Taken ids, and the number of questions about them.
    private final class Ids {
        var taken: Set<String> = []
        var asked = 0

        func add(_ title: String) -> String {
            let id = Slug.id(for: title) { id in
                asked += 1
                return !taken.contains(id)
            }
            taken.insert(id)
            return id
        }
    }

    @Test func sightsOfOneTitleAreNumberedConsecutively() {
        let ids = Ids()
        #expect((1...20).map { _ in ids.add("Mill") } == ["mill"] + (2...20).map { "mill-\($0)" })
    }

    @Test func findingAFreeNumberAmong30000TakesFewQuestions() {
        let ids = Ids()
        ids.taken = Set(["mill"] + (2...30_000).map { "mill-\($0)" })
        #expect(ids.add("Mill") == "mill-30001")
        #expect(ids.asked <= 40)
    }

    @Test func aFreeIdIsFoundEvenIfAllProbedNumbersAreTaken() {
        let ids = Ids()
        ids.taken = Set(["mill"] + (1..<Int.bitWidth).map { "mill-\(UInt64(1) << $0)" })
        #expect(ids.add("Mill") == "mill-2-2")
        #expect(ids.asked <= 200)
    }

    @Test func importedIdsAreNumberedAroundGivenIds() {
        var slugs = Slugs()
        #expect(slugs.id("mill-3", title: "Mill") == "mill-3")
        #expect((1...4).map { _ in slugs.id(nil, title: "Mill") } == ["mill", "mill-2", "mill-4", "mill-5"])
        #expect(slugs.id("mill-5", title: "Mill") == nil)
        var last: String?
        for _ in 0..<30_000 { last = slugs.id(nil, title: "Hut") }
        #expect(last == "hut-30000")
    }
}
