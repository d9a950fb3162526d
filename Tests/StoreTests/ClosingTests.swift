import Dispatch
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Reads that other threads make while a store closes.
@Suite struct ClosingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func readsThatMeetTheCloseFinishOrAreRefused() throws {
        let count = 4
        for _ in 0..<(TestTier.isSoak ? 2_000 : 50) {
            let store = try LocationDatabase.open(at: folder.store, makesFolder: true)
            let (reading, done) = (DispatchSemaphore(value: 0), DispatchGroup())
            let errors = Mutex<[String]>([])
            for _ in 0..<count {
                done.enter()
                Thread.detachNewThread {
                    reading.signal()
                    do {
                        while true { _ = try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM event") } }
                    } catch {
                        errors.withLock { $0.append("\(error)") }
                        done.leave()
                    }
                }
            }
            for _ in 0..<count { reading.wait() }
            try store.close()
            done.wait()
            #expect(errors.withLock { $0.allSatisfy { $0.contains("closed") } }, "\(errors.withLock { $0 })")
        }
    }
}
