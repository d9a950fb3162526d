#if Fleet
import ArgumentParser
import Broker
import Callers
import EventStream
import FleetStore
import Foundation
import Logging
import Phones
import RPC
import Service
import Tracking
import UnixSignals
import WebServer
import Worker

/// The command `waymark fleet door`, which takes the reports of phones and the events of boards.
struct FleetDoorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door",
        abstract: "Take the reports of phones and the events of boards at /in/ for a fleet until stopped.",
        discussion: """
            A phone's report is answered with 200 once a majority of the broker's nodes has it on disk, and a board's \
            batch once the database has. If that is not possible now, the answer is 503, and the phone or board keeps \
            it. Start as many doors as you like; each needs a certificate, or a proxy with one in front of it.
            """)

    @OptionGroup var servers: FleetServers

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var listen = WebAddress.defaultAddress

    @Option(help: ArgumentHelp("The certificate with its intermediates, in PEM form.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM form.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp("A name that requests may use besides the machine's. Repeatable.", valueName: "name"))
    var host: [String] = []

    private static let page = """
        <!doctype html><meta charset="utf-8"><title>Waymark</title><p>This is a door for phones and boards.
        """

    func validate() throws {
        guard WebAddress(listen) != nil else { throw ValidationError("--listen takes ADDRESS:PORT.") }
    }

    func run() async throws {
        guard let address = WebAddress(listen) else { throw ExitCode.validationFailure }
        let database = try servers.databaseAddress()
        let fleet = try FleetDatabase(at: database).settings()
        let collector = FixCollector(for: fleet, at: try servers.brokerAddress())
        var settings = WebSettings(listen: address)
        (settings.certificate, settings.key, settings.hosts) = (certificate, key, host)
        var services = WebServer.Services(
            methods: MethodTable(title: "Waymark", version: ""), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        services.phones = FleetDoor(collector: collector, database: database)
        services.boards = FleetBoards(to: database, partition: fleet.partitions)
        // A door has no pages but the one that says so, which the server reads now.
        let pages = FileManager.default.temporaryDirectory.appending(path: "waymark-door-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: pages) }
        try Data(Self.page.utf8).write(to: pages.appending(path: "index.html"))
        settings.pages = pages.path
        let server = try await WebServer(settings, to: services, logger: Logger(label: "waymark.door"))
        Failure.note("waymark: the door is open at \(server.address)in/")
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Thread.detachNewThread { collector.run() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { for await _ in signals { return } }
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
        collector.stop()
    }
}

/// The command `waymark fleet secret`, which lets a phone report.
struct FleetSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Make the secret with which a phone reports to a door, in place of the one before.")

    @Argument(help: ArgumentHelp("The name of the device.", valueName: "name"))
    var device: String

    @OptionGroup var servers: FleetServers

    func validate() throws {
        guard FixBatch.isName(device) else {
            throw ValidationError("A name has 1 to 200 bytes and no control characters.")
        }
    }

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        let secret = PhoneSecret(using: &generator)
        try FleetDatabase(at: servers.databaseAddress())
            .setSecret(digest: FleetDoor.digest(of: secret), of: device)
        try Failure.printing { output in try output.line(secret.text) }
    }
}

/// The way of a phone's report from the web server to the broker.
actor FleetDoor: PhoneReports {
    private let collector: FixCollector
    private let address: String
    private var database: FleetDatabase?
    /// The devices of the secrets that were asked for lately, and of those that are none.
    private var known: [PhoneSecret: (device: String?, until: ContinuousClock.Instant)] = [:]
    /// When the database may be asked again after a failure.
    private var pause = ContinuousClock.now

    /// How long a secret that was replaced may still be taken, while the database answers.
    private static let memory = Duration.seconds(60)
    /// The longest time of a question to the database, for which all phones wait, and the time after one that failed.
    ///
    /// A database that is silent would else hold each phone up whose secret is asked for again.
    private static let (patience, rest) = (Duration.seconds(3), Duration.seconds(10))
    /// The most secrets in memory: some 20 MB.
    private static let mostKnown = 100_000

    init(collector: FixCollector, database: String) {
        (self.collector, address) = (collector, database)
    }

    static func digest(of secret: PhoneSecret) -> String { digest(of: secret.text) }

    /// Returns the SHA-256 of a secret in hexadecimal digits.
    static func digest(of secret: String) -> String {
        Secret.digest(secret).map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }

    func device(of secret: PhoneSecret) async throws -> String? {
        if let found = known[secret], found.until > .now { return found.device }
        // A short wait of this actor; the answer is remembered.
        do throws(FleetStoreError) {
            guard pause <= .now else { throw .away }
            let device = try connected().device(ofSecret: Self.digest(of: secret))
            if known.count >= Self.mostKnown { known = [:] }
            known[secret] = (device, .now + Self.memory)
            return device
        } catch {
            database = nil
            if pause <= .now { pause = .now + Self.rest }
            // While the database is gone, the phones that were known report on: the broker takes their fixes.
            guard let found = known[secret], found.device != nil else { throw error }
            known[secret] = (found.device, .now + Self.memory)
            return found.device
        }
    }

    private func connected() throws(FleetStoreError) -> FleetDatabase {
        if let database { return database }
        let made = try FleetDatabase(at: address, limit: Self.patience)
        database = made
        return made
    }

    nonisolated func receive(_ report: PhoneReport, of device: String) async throws -> [UInt8] {
        try await collector.collect(report.fixes.map(\.fix), of: device)
        return report.answer.body
    }
}

/// The log of a door, which has none: readers ask the database.
private struct NoJournal: EventJournal {
    func bounds() async throws -> JournalBounds { JournalBounds(log: "", first: 1, last: 0) }

    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] { [] }
}
#endif
