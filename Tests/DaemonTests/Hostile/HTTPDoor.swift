#if Companion
import Callers
import Logging
import RPC
import TestSupport
import Testing

@testable import WebServer

/// The way of generated calls through `POST /rpc` as browsers and programs make them: with a cookie or without one,
/// alone or in a batch, and sometimes from a page of another server.
final class HTTPDoor {
    private let browser: HTTPBrowser
    private let port: Int
    /// The codes that each method may answer.
    private let codes: [String: Set<Int64>]
    private var random: SeededGenerator
    /// The number of calls that were answered, those in batches included.
    private var answered = 0
    /// Calls to repeat in a batch.
    private var earlier: [(method: String, line: [UInt8])] = []

    /// The methods that nobody can call through the door: some are for users of the machine, others send events on
    /// their connection.
    private static let closed: Set = [
        "backup.begin", "backup.read", "backup.end", "events.subscribe", "events.unsubscribe", "people.admin",
        "people.linkUser", "people.unlinkUser",
    ]
    /// The number of calls to remember.
    private static let kept = 64
    /// The longest call to remember.
    private static let longest = 4_096

    private init(_ browser: HTTPBrowser, _ port: Int, _ methods: [DocumentedMethod], seed: UInt64) {
        self.browser = browser
        self.port = port
        codes = Dictionary(methods.map { ($0.name, $0.errors) }) { first, _ in first }
        random = SeededGenerator(seed: seed &* 31 &+ 7)
    }

    /// Opens the door of a new world for a play.
    ///
    /// - Returns: The number of calls that were answered, those in batches included.
    static func open(
        seed: UInt64, longest: Duration? = nil, _ body: (HostilePlay) async throws -> Void
    ) async throws -> Int {
        let world = try await HostileWorld(origin: try #require(IPAddress("127.0.0.1")).origin)
        let folder = try TemporaryFolder()
        _ = try folder.file("index.html", "")
        var settings = WebSettings(listen: try #require(WebAddress("127.0.0.1:0")))
        settings.pages = folder.path
        let server = try await WebServer(
            settings, to: world.services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task { try await server.run() }
        defer { serving.cancel() }
        let document = try await world.call("rpc.discover", [:], from: world[.admin])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null)
        return try await HTTPBrowser.connect(to: server.port) { browser in
            let door = HTTPDoor(browser, server.port, methods, seed: seed)
            let way = HostileDoor(closed: closed) { try await door.answer(to: $0, from: $1) }
            try await body(HostilePlay(in: world, seed: seed, longest: longest, through: way))
            return door.answered
        }
    }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// Sends a line with the cookie of its caller, and returns the line of its answer.
    private func answer(to line: [UInt8], from caller: Principal) async throws -> [UInt8] {
        let cookie =
            caller.has(.change)
            ? "cai" : caller.person ?? [nil, nil, "nobody", ""].randomElement(using: &random) ?? nil
        var batch = [(method: "", line: Array(line.dropLast()))]
        let isBatch = chance(3)
        var place = 0
        if isBatch {
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                guard let again = earlier.randomElement(using: &random) else { break }
                let isBefore = chance(3)
                batch.insert(again, at: isBefore ? place : batch.count)
                place += isBefore ? 1 : 0
            }
        }
        remember(batch[place].line)
        let joined = Array(batch.map(\.line).joined(separator: [UInt8(ascii: ",")]))
        let body = isBatch ? [UInt8(ascii: "[")] + joined + [UInt8(ascii: "]")] : joined
        func what() -> Comment { "as \(cookie ?? "-"): \(String(decoding: body.prefix(2_000), as: UTF8.self))" }
        if chance(50) {
            let refused = try await HTTPBrowser.connect(to: port) { browser in
                try await browser.post(body, cookie: cookie, from: "evil.example").status
            }
            #expect(refused == 403, what())
        }
        let (status, bytes) = try await browser.post(body, cookie: cookie)
        #expect(status == 200, what())
        answered += 1
        guard isBatch, let answers = try JSONValue(parsing: bytes.span).elements else { return bytes }
        try #require(answers.count == batch.count, what())
        answered += batch.count - 1
        for (again, answer) in zip(batch, answers) {
            guard let allowed = codes[again.method], let code = answer["error"]?["code"]?.whole else { continue }
            #expect(allowed.contains(code) && code != -32_603, "\(again.method) answered \(code) in a batch \(what())")
        }
        return JSONText(answers[place]).bytes + [LineFraming.end]
    }

    /// Remembers a call, unless it is too long, or would make a whole batch unreadable.
    private func remember(_ line: [UInt8]) {
        guard line.count <= Self.longest, line.firstRange(of: Array(#"\u0000"#.utf8)) == nil,
            let method = try? JSONValue(parsing: line.span)["method"]?.text
        else { return }
        if earlier.count < Self.kept {
            earlier.append((method, line))
        } else {
            earlier[Int.random(in: 0..<Self.kept, using: &random)] = (method, line)
        }
    }
}
#endif
