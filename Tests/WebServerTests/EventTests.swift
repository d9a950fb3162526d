import Callers
import EventStream
import NIOCore
import RPC
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import WebServer

/// Server-sent events, as browsers read them.
@Suite(.slow) struct EventTests {
    private let journal = Journal()

    private func services() async throws -> WebServer.Services {
        WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: journal), sessions: nil)
    }

    @Test func aReaderResumesAfterARestart() async throws {
        var heard: [String] = []
        var last: String?
        for round in 0..<4 {
            let services = try await services()
            // Some events are published while nobody reads.
            services.hub.publish(journal.commit(3))
            try await RunningDoor.run(services: services) { door in
                let stream = try await door.events(after: last ?? "journal:0") { reader in
                    try await reader.read(3)
                    services.hub.publish(journal.commit(200))
                    try await reader.read(203 - round)
                }
                heard += stream.seqs
                last = stream.lastID
            }
        }
        let services = try await services()
        try await RunningDoor.run(services: services) { door in
            heard += try await door.events(after: last ?? "") { try await $0.read(journal.last - heard.count) }.seqs
        }
        #expect(heard == (1...journal.last).map { "journal:\($0)" })
    }

    @Test func withoutACursorOnlyNewEventsAreSent() async throws {
        _ = journal.commit(5)
        let services = try await services()
        try await RunningDoor.run(services: services) { door in
            let stream = try await door.events(after: nil) { reader in
                services.hub.publish(journal.commit(2))
                try await reader.read(2)
            }
            #expect(stream.lines.first == "retry: 2000")
            #expect(stream.lines.dropFirst().first == "id: journal:5")
            #expect(stream.seqs == ["journal:6", "journal:7"])
            #expect(stream.lines.contains("event: trip.start"))
            #expect(stream.lines.contains(#"data: {"seq":6,"type":"trip.start"}"#))
        }
    }

    @Test func eventsOutsideTheFilterAreNotSent() async throws {
        let services = try await services()
        try await RunningDoor.run(services: services) { door in
            let stream = try await door.events(after: nil, "?types=trip.start,position&device=van") { reader in
                services.hub.publish(journal.commit(1, device: "boat"))
                services.hub.publish([
                    EventRecord(
                        seq: nil, type: "position", device: "van",
                        line: Array(#"{"type":"position","device":"van"}"#.utf8))
                ])
                services.hub.publish(journal.commit(1, device: "van"))
                try await reader.read(1)
            }
            #expect(stream.seqs == ["journal:2"])
            let position = try #require(stream.lines.firstIndex(of: "event: position"))
            #expect(!stream.lines[position - 1].hasPrefix("id:"))
            let wrong = try await door.ask("GET /events?bbox=1,2")
            #expect(wrong.status == 400)
            #expect(wrong.text.contains("bbox"))
            let unknown = try await door.ask("GET /events?type=position")
            #expect(unknown.status == 400)
            #expect(unknown.text.contains("type: is unknown; the parameters are types, device, "))
        }
    }

    @Test(arguments: [
        ("other:3", "log"), ("journal:99", "newer"), ("journal:0", "gone"), ("nonsense", "unreadable"),
        ("journal:-1", "unreadable"),
    ])
    func anUnusableCursorSendsAResetAndThenNewEvents(_ cursor: String, _ reason: String) async throws {
        _ = journal.commit(5)
        journal.trim(to: 3)
        let services = try await services()
        try await RunningDoor.run(services: services) { door in
            let stream = try await door.events(after: cursor) { reader in
                services.hub.publish(journal.commit(1))
                try await reader.read(1)
            }
            let reset = try #require(stream.lines.firstIndex(of: "event: reset"))
            #expect(stream.lines[reset + 1] == #"data: {"reason":"\#(reason)","log":"journal","first":3,"last":5}"#)
            #expect(stream.seqs == ["journal:6"])
        }
    }

    @Test func theHeadingOfAnEventIsReadWithoutItsRest() {
        let stored = EventHeading(Array(#"{"seq":42,"type":"geofence.enter","time":"#.utf8))
        #expect(stored.seq == 42)
        #expect(stored.type == Array("geofence.enter".utf8)[...])
        #expect(
            EventHeading(Array(#"{"type":"position","time":"#.utf8))
                == EventHeading(Array(#"{"type":"position"}"#.utf8)))
        for text in ["", "{", "[]", #"{"seq":1}"#, #"{"type":"a\nb"}"#, "{\"type\":\"a\nid: x\"}"] {
            #expect(EventHeading(Array(text.utf8)).type == Array("message".utf8)[...])
        }
    }

    @Test func eventsOutsideTheFilterAreNotQueued() async throws {
        let hub = try await EventHub(journal: journal)
        let fanOut = EventFanOut(hub)
        let caller = Principal(number: 1, origin: .process, rights: [.read])
        var readers: [SubscriptionReader] = []
        func open(_ filter: JSONObject) throws {
            for _ in 0..<100 {
                readers.append(fanOut.subscribe(caller, to: try EventFilter(filter), after: nil, last: 0).reader)
            }
        }
        try open(["types": ["trip.*"]])
        try open(["types": ["position"], "devices": ["boat"]])
        // Ten positions a second, for a minute.
        for number in 0..<600 {
            let line = Array("{\"type\":\"position\",\"n\":\(number)}".utf8)
            hub.publish([EventRecord(seq: nil, type: "position", device: "van", line: line)])
        }
        #expect(await fanOut.statistics().subscriptions == 200)
        #expect(await fanOut.statistics().queued == 0)
        hub.publish([EventRecord(seq: nil, type: "position", device: "boat", line: [])])
        #expect(await fanOut.statistics().queued == 100)
        // A durable event reaches every reader, because each counts by it.
        hub.publish(journal.commit(1))
        #expect(await fanOut.statistics().queued == 300)
        for reader in readers { fanOut.remove(reader) }
        #expect(!fanOut.hasSubscribers)
        #expect(await fanOut.statistics() == EventHub.Statistics())
    }

    @Test func onlyTheLatestPositionOfADeviceIsQueued() async throws {
        let hub = try await EventHub(journal: journal)
        let fanOut = EventFanOut(hub)
        let caller = Principal(number: 1, origin: .process, rights: [.read])
        let (reader, _) = fanOut.subscribe(caller, to: try EventFilter(["types": ["position"]]), after: nil, last: 0)
        for number in 0..<10_000 {
            let line = Array("{\"type\":\"position\",\"n\":\(number)}".utf8)
            hub.publish([EventRecord(seq: nil, type: "position", device: "van", line: line)])
        }
        let answer13 = try await reader.next() == [.event(Array(#"{"type":"position","n":9999}"#.utf8))]
        #expect(answer13)
        fanOut.sendHeartbeats()
        let answer14 = try await reader.next() == []
        #expect(answer14)
        fanOut.end()
        let answer15 = try await reader.next() == nil
        #expect(answer15)
    }
}

/// The lines of an event stream.
struct EventsRead: Sendable {
    var lines: [String] = []

    /// The ids of the events, without the initial one.
    var seqs: [String] {
        zip(lines, lines.dropFirst()).filter { $0.hasPrefix("id: ") && $1.hasPrefix("event: ") && $1 != "event: reset" }
            .map { String($0.0.dropFirst(4)) }
    }

    /// The id with which a browser would resume.
    var lastID: String? { lines.last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) } }
}

/// Reads an event stream as it arrives.
final class EventReader {
    private var arrivals: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var bytes: [UInt8] = []
    fileprivate(set) var read = EventsRead()

    struct Ended: Error { let lines: [String] }

    fileprivate init(_ arrivals: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.arrivals = arrivals }

    /// Reads until `count` events have arrived in total.
    nonisolated(nonsending) func read(_ count: Int) async throws {
        while read.seqs.count < count || read.lines.last != "" { try await more() }
    }

    /// Reads until a line has arrived.
    nonisolated(nonsending) func read(until line: String) async throws {
        while !read.lines.contains(line) { try await more() }
    }

    nonisolated(nonsending) private func more() async throws {
        guard let piece = try await arrivals.next(isolation: #isolation) else { throw Ended(lines: read.lines) }
        bytes += piece.readableBytesView
        // The lengths of chunks are lines, too; they end in a carriage return.
        while let end = bytes.firstIndex(of: 10) {
            let line = String(decoding: bytes[..<end], as: UTF8.self)
            bytes.removeFirst(end + 1)
            if !line.hasSuffix("\r") { read.lines.append(line) }
        }
    }
}

extension RunningDoor {
    /// Reads the events after a cursor during `body`.
    func events(
        after cursor: String?, _ query: String = "", _ fields: [String] = [],
        _ body: (EventReader) async throws -> Void
    ) async throws -> EventsRead {
        let lines = ["GET /events\(query) HTTP/1.1", "Host: \(host)"] + (cursor.map { ["Last-Event-ID: \($0)"] } ?? [])
        let head = (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return try await HTTPBytes.open(port: port) { inbound, outbound in
            try await outbound.write(ByteBuffer(string: head))
            let reader = EventReader(inbound.makeAsyncIterator())
            try await reader.read(until: "retry: 2000")
            try await body(reader)
            return reader.read
        }
    }
}

/// An event log in memory.
final class Journal: EventJournal {
    private let entries = Mutex<[EventRecord]>([])
    private let first = Mutex<Int64>(1)

    var last: Int { entries.withLock { $0.count } }

    func commit(_ count: Int, device: String? = nil) -> [EventRecord] {
        entries.withLock { entries in
            let new = (1...count).map { number in
                let seq = entries.count + number
                return EventRecord(
                    seq: Int64(seq), type: "trip.start", device: device,
                    line: Array(#"{"seq":\#(seq),"type":"trip.start"}"#.utf8))
            }
            entries += new
            return new
        }
    }

    func trim(to seq: Int64) { first.withLock { $0 = seq } }

    func bounds() async throws -> JournalBounds {
        JournalBounds(log: "journal", first: first.withLock { $0 }, last: Int64(last))
    }

    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] {
        entries.withLock { Array($0.dropFirst(Int(seq)).prefix(limit)) }
    }
}
