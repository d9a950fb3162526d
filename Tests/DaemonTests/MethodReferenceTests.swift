import Foundation
import Logging
import RPC
import SocketServer
import Store
import Testing
import Tracking

@testable import Companion
@testable import Daemon

@Suite struct MethodReferenceTests {
    /// The page in the repository; `WAYMARK_RECORD=1` writes it anew.
    private static let page = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Companion/Companion.docc/Methods.md")

    @Test func thePageSaysWhatTheTableDoes() async throws {
        let text = try await Self.table().reference
        if ProcessInfo.processInfo.environment["WAYMARK_RECORD"] != nil {
            try FileManager.default.createDirectory(
                at: Self.page.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: Self.page)
        }
        #expect(
            try String(contentsOf: Self.page, encoding: .utf8) == text,
            "The method table has changed: WAYMARK_RECORD=1 swift test --filter MethodReferenceTests")
    }

    /// The methods that a daemon serves.
    private static func table() async throws -> MethodTable<Connection> {
        let store = try Storehouse.temporary()
        let hub = try await EventHub(journal: StoreJournal(store: store))
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(), logger: .init(label: "test"))
        return Interface.methods(
            pipeline, hub: hub, companion: CompanionContext(store: store, present: pipeline), connections: { 0 },
            report: { _, _ in })
    }
}
