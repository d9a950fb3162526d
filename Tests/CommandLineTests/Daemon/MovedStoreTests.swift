import Foundation
import GRDB
import RPC
import TestSupport
import Testing

@Suite(.slow) struct MovedStoreTests {
    @Test(arguments: ["", "-wal"])
    func anIdleDaemonExitsToBeRestartedWhenItsStoreIsMoved(_ suffix: String) async throws {
        let folder = try TemporaryFolder()
        // With a watchdog, the daemon sends a probe every half second.
        let daemon = try await RunningDaemon(in: folder, environment: ["WATCHDOG_USEC": "1500000"])
        try FileManager.default.moveItem(atPath: daemon.store + suffix, toPath: folder.file("moved" + suffix))
        #expect(try await daemon.ending() == .exit(74))
        #expect(daemon.log.contains("was moved, replaced or removed while open"))
    }

    @Test func deliveredEventsAreInTheMovedStoreAndNoMoreFollow() async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 200).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, sources: ["car=\(file)?speed=2000"])
        let (path, store) = (daemon.socket, daemon.store)
        let told = try await offThePool {
            try LineSocket(to: path).allEvents {
                if $0 == 50 { try? FileManager.default.moveItem(atPath: store, toPath: store + ".moved") }
            }
        }
        #expect(try await daemon.ending() == .exit(74))
        #expect(told.count >= 50)
        let moved = try StoreCopy(of: store + ".moved")
        #expect(moved.integrity == "ok")
        #expect(moved.events.map(\.body).starts(with: told))
    }

    @Test func aDamagedStoreIsReportedAfterAnUncleanEnd() async throws {
        let folder = try TemporaryFolder()
        let rows = (0..<2000).map { "s\($0),Sight \($0),52,4,100\n" }.joined()
        let list = try folder.file("sights.csv", "id,title,lat,lon,radius_m\n" + rows)
        let store = folder.file("store")
        #expect(try await Command.run("sight", "import", list, "--store", store).status == 0)
        try await RunningDaemon(in: folder).kill()
        // The damage is in an index that the daemon does not need at its start.
        let (page, size) = try await DatabaseQueue(path: store).read { db in
            let page = try Int.fetchOne(
                db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sight_visit_by_time'")
            return (page, try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: store))
        try handle.seek(toOffset: UInt64((try #require(page) - 1) * size))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: size))
        try handle.close()
        let daemon = try await RunningDaemon(in: folder, environment: ["WATCHDOG_USEC": "1500000"])
        try await daemon.notice("STATUS=store: it is damaged")
        let path = daemon.socket
        let stats = try await offThePool { try LineSocket(to: path).call("server.stats") }
        #expect(stats["result"]?["store"]?["check"]?.text == "damaged")
        #expect(daemon.log.contains("is damaged"))
        #expect(try await daemon.stop() == .exit(0))
    }
}
