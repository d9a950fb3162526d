import EventStream
import FeatureSupport
import Foundation
import Service
import Store
import Synchronization
import TestSupport
import Testing
import Tracking
import WebClient

@testable import Daemon
@testable import EventHooks

/// The hooks for events: what they pass on, in which order, and what they do when the receiver fails.
@Suite struct EventHookTests {
    private let core: CoreFixture
    private let hub: EventHub
    private let folder: TemporaryFolder

    init() async throws {
        core = try CoreFixture()
        let visibility = EventVisibility(core.store)
        visibility.configure(core.context.subjects, core.context.editor)
        hub = try await EventHub(
            journal: StoreJournal(store: core.store), visibility: visibility.allows, discretion: visibility.shown)
        folder = try TemporaryFolder()
    }

    /// A signal that arrives once; the log does not grow afterwards.
    private var once: AsyncStream<Void> {
        AsyncStream {
            $0.yield(); $0.finish()
        }
    }

    /// Makes a hook that runs a script.
    private func hook(
        _ script: String, longestRun: Int = 30, clock: InstantClock = InstantClock(),
        _ change: (inout EventHookSettings) -> Void = { _ in }
    ) throws -> EventHook {
        let path = try folder.file("script-\(UUID().uuidString)", script)
        var settings = EventHookSettings(name: "test", to: .command("sh \(path)"))
        change(&settings)
        return try EventHook(settings, store: core.store, hub: hub, clock: clock, longestRun: longestRun)
    }

    /// Appends an event, and returns its line.
    @discardableResult
    private func log(
        _ type: String = "geofence.enter", device: String? = "van", subject: String? = "sight/mill",
        recipient: String? = nil
    ) async throws -> String {
        let members = #""type":"\#(type)","time":"\#(moment(0))","device":"\#(device ?? "")""#
        let event = EventRecord(
            time: moment(0), type: type, device: device, subject: subject, recipient: recipient,
            members: Array(members.utf8))
        let stored = try await core.store.write { try EventLog.append([event], to: $0) }
        hub.publish(stored)
        return String(decoding: try #require(stored.first).line, as: UTF8.self)
    }

    private func output(_ name: String = "out") throws -> [String] {
        guard let text = try? String(contentsOfFile: folder.file(name), encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    private var save: String { "cat >>\(folder.file("out"))\n" }

    @Test(.slow) func eachEventArrivesAsItIsStoredInOrderFromTheBeginningOfTheHook() async throws {
        try await log("trip.start")
        let hook = try hook(save)
        await hook.run(once)
        var lines: [String] = []
        for index in 0..<(2 * EventHook.page + 3) { lines.append(try await log("trip.end", device: "d\(index)")) }
        await hook.run(once)
        #expect(try output() == lines)
        // A hook that begins anew goes on where the last one ended.
        let last = try await log("trip.start")
        try await self.hook(save).run(once)
        #expect(try output() == lines + [last])
    }

    @Test func aReceiverThatFailsGetsTheEventAgainLaterAndLater() async throws {
        let clock = InstantClock()
        let count = folder.file("count")
        let hook = try hook("echo >>\(count)\n[ $(wc -l <\(count)) -gt 3 ] || exit 7\n" + save, clock: clock)
        await hook.run(once)
        let lines = [try await log(), try await log()]
        let told = Mutex<[EventHook.Report]>([])
        await hook.run(once) { report in told.withLock { $0.append(report) } }
        #expect(try output() == lines)
        #expect(clock.slept == .seconds(1 + 2 + 4))
        let reports = told.withLock { $0 }
        #expect(reports.map { $0.fault == nil } == [false, false, false, true, true])
        #expect(reports.map(\.behind) == [2, 2, 2, 1, 0])
        #expect(reports.first?.fault?.contains("7") == true)
    }

    @Test func aHookThatIsEndedInTheMiddleGoesOnWithEveryEventInOrder() async throws {
        let count = folder.file("count")
        // It takes the 21st event and fails all the same.
        let failing = try hook(save + "echo >>\(count)\n[ $(wc -l <\(count)) -lt 21 ] || exit 1\n")
        await failing.run(once)
        var lines: [String] = []
        for index in 0..<40 { lines.append(try await log(device: "d\(index)")) }
        let running = Mutex<Task<Void, Never>?>(nil)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let updates = once
        let task = Task {
            for await _ in gate { break }
            await failing.run(updates) { if $0.fault != nil { running.withLock { $0 }?.cancel() } }
        }
        running.withLock { $0 = task }
        open.yield()
        await task.value
        let before = try output()
        #expect(before == Array(lines.prefix(21)))
        try await hook(save).run(once)
        let after = try Array(output().dropFirst(before.count))
        // At most the events since the last stored place arrive twice, and none is missing.
        #expect(after == Array(lines.suffix(after.count)))
        #expect(after.count >= 20 && after.count <= 20 + EventHook.longestRepeat)
    }

    @Test func onlyTheEventsOfTheFilterArrive() async throws {
        let hook = try hook(save) {
            $0.types = ["geofence.*"]
            $0.devices = ["van"]
            $0.geofences = ["sight/mill"]
        }
        await hook.run(once)
        let first = try await log("geofence.enter")
        try await log("trip.start")
        try await log("geofence.enter", device: "boat")
        try await log("geofence.enter", subject: "sight/fort")
        let last = try await log("geofence.exit")
        await hook.run(once)
        #expect(try output() == [first, last])
    }

    @Test func whatIsForOnePersonDoesNotArrive() async throws {
        try core.people("ada")
        let hook = try hook(save)
        await hook.run(once)
        try await log("notification", subject: nil, recipient: "ada")
        let line = try await log()
        await hook.run(once)
        #expect(try output() == [line])
    }

    @Test func theCommandGetsTheLogTheNumberAndTheSignature() async throws {
        let hook = try hook(
            #"echo "$WAYMARK_EVENT_LOG $WAYMARK_EVENT_SEQ $WAYMARK_EVENT_SIGNATURE" >"# + folder.file("out")
        ) { $0.key = .text("Jefe") }
        await hook.run(once)
        let line = try await log()
        await hook.run(once)
        let signature = try #require(try EventDelivery.signature(of: Array(line.utf8), by: .text("Jefe")))
        #expect(try output() == ["\(try core.store.logExtent().name) 1 \(signature)"])
    }

    @Test func theSignatureIsTheHMACOfTheRFC() throws {
        // RFC 4231, section 4.3.
        #expect(
            try EventDelivery.signature(of: Array("what do ya want for nothing?".utf8), by: .text("Jefe"))
                == "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let file = SecretFile(try folder.file("secret", " Jefe\n"))
        #expect(
            try EventDelivery.signature(of: [], by: .file(file)) == EventDelivery.signature(of: [], by: .text("Jefe")))
        #expect(throws: WebFailure.self) {
            try EventDelivery.signature(of: [], by: .file(SecretFile(folder.file("missing"))))
        }
    }

    @Test(.slow) func aCommandThatHangsIsEndedAndTriedAgain() async throws {
        let count = folder.file("count")
        let hook = try hook("echo >>\(count)\n[ $(wc -l <\(count)) -gt 1 ] || sleep 600\n" + save, longestRun: 1)
        await hook.run(once)
        let line = try await log()
        let faults = Mutex<[String?]>([])
        await hook.run(once) { report in faults.withLock { $0.append(report.fault) } }
        #expect(faults.withLock { $0 } == ["has run for more than 1 s and was stopped", nil])
        #expect(try output() == [line])
    }

    @Test func theLogKeepsWhatAHookHasNotTaken() async throws {
        let settings = EventHookSettings(name: "test", to: .command("true"))
        #expect(try await EventHookPlaces.reached([settings], in: core.store) == nil)
        try await log()
        try await hook("true").run(once)
        try await log()
        #expect(try await EventHookPlaces.reached([settings], in: core.store) == 1)
        try await EventHookPlaces.forget(except: [], in: core.store)
        #expect(try await EventHookPlaces.reached([settings], in: core.store) == nil)
    }

    @Test(arguments: [
        (#"{}"#, "either a command or a url"),
        (#"{"command":"a","url":"https://example.org"}"#, "either a command or a url"),
        (#"{"command":""}"#, "command must be a text"),
        (#"{"command":["a"]}"#, "command must be a text"),
        (#"{"command":"a","colour":"red"}"#, "no key colour"),
        (#"{"command":"a","types":[["b"]]}"#, "types must be a list of texts"),
        (#"{"command":"a","types":["position"]}"#, "position is not stored"),
        (#"{"command":"a","geofences":["mill"]}"#, "KIND/ID"),
        (#"{"command":"a","secret":"b","secret-file":"/c"}"#, "either a secret or a secret-file"),
        (#"{"url":"http://example.org/"}"#, "in the open"),
        (#"{"url":"ftp://example.org/"}"#, "https://"),
        (#"{"url":"https://ada:secret@example.org/"}"#, "a name or a password"),
        (#"{"url":"https://example.org:0/"}"#, "port"),
        ("tee", "a command or a url"),
    ]) func wrongSettingsAreRefused(_ text: String, _ reason: String) {
        let error = #expect(throws: WebFailure.self) { try EventHookSettings(text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("https://example.org", "example.org", 443, "/"),
        ("HTTPS://Example.org:8443/a?b=c", "example.org", 8443, "/a?b=c"),
        ("http://localhost:1/x", "localhost", 1, "/x"), ("http://127.0.0.1?q", "127.0.0.1", 80, "/?q"),
        ("http://[::1]:8080/", "::1", 8080, "/"),
    ]) func addressesAreRead(_ text: String, _ host: String, _ port: Int, _ target: String) throws {
        let url = try WebURL(text)
        #expect((url.host, url.port, url.target) == (host, port, target))
    }

    @Test func aSecretIsNotShown() throws {
        let text = EventHookSettings.shown(#"{"command":"a","secret":"hush"}"#)
        #expect(text == #"{"command":"a","secret":"…"}"#)
    }
}
