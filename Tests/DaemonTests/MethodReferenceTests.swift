#if Companion
import Callers
import EventStream
import Foundation
import Logging
import RPC
import Store
import Testing
import Tracking

@testable import Daemon
@testable import Service

@Suite struct MethodReferenceTests {
    /// The page in the repository; `WAYMARK_RECORD=1` rewrites it.
    private static let page = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Program/Daemon/Daemon.docc/Methods.md")

    @Test func thePageMatchesTheMethodTable() async throws {
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

    @Test func eachParameterIsBounded() async throws {
        for method in try await Self.table().methods {
            for parameter in method.parameters {
                let places = Self.unbounded(parameter.schema.json, at: parameter.name)
                #expect(places.isEmpty, "\(method.name)")
            }
        }
    }

    /// Returns the paths in a JSON Schema at which a number of any size, a text or list of any length, or any value is
    /// allowed.
    private static func unbounded(_ schema: JSONValue, at place: String) -> [String] {
        if case .array(let alternatives)? = schema["anyOf"] {
            return alternatives.flatMap { unbounded($0, at: place) }
        }
        switch schema["type"] {
        case "boolean": return []
        case "integer", "number": return schema["minimum"] == nil || schema["maximum"] == nil ? [place] : []
        case "string": return schema["maxLength"] == nil && schema["enum"] == nil ? [place] : []
        case "array":
            let own = schema["maxItems"] == nil ? [place] : []
            return own + unbounded(schema["items"] ?? .null, at: place + "[]")
        case "object":
            guard schema["additionalProperties"] == false, case .object(let members)? = schema["properties"] else {
                return [place]
            }
            return members.names.flatMap { unbounded(members[$0] ?? .null, at: "\(place).\($0)") }
        default: return [place]
        }
    }

    /// Returns the methods that a daemon serves.
    private static func table() async throws -> MethodTable<Principal> {
        let store = try Stores.temporary()
        let hub = try await EventHub(journal: StoreJournal(store: store))
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(), logger: .init(label: "test"))
        return DaemonServers.methods(
            pipeline, hub: hub, features: Features(store: store, liveState: pipeline), connections: { 0 },
            reload: { [] },
            report: { _, _ in })
    }
}
#endif
