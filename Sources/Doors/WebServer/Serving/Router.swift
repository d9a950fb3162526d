import EventStream
import Glibc
import HTTPTypes
import HummingbirdCore
import Logging
import NIOHTTP1
import RPC
import Service

/// A router of requests to their answers, by method and path.
struct Router: Sendable {
    /// The headers that every answer carries.
    let headers: SecurityHeaders
    private let hosts: HostRule
    private let pages: Pages?
    private let lookedIn: [String]
    private let calls: CallEndpoint
    private let events: EventEndpoint
    private let files: FileEndpoint
    private let phones: PhoneEndpoint
    private let boards: BoardEndpoint
    private let tiles: Tiles
    private let metrics: (@Sendable () async throws -> String)?
    private let showsMetrics: Bool
    private let health: (@Sendable () async -> WebServer.Health)?

    init(
        _ settings: WebSettings, to services: WebServer.Services, limits: WebServer.Limits, clock: any Clock<Duration>,
        logger: Logger
    ) throws {
        headers = SecurityHeaders(provider: settings.provider)
        hosts = HostRule(configured: settings.hosts, machine: Self.machineName)
        let sessions = WebSessions(services)
        calls = CallEndpoint(
            services: services, sessions: sessions, limits: limits, clock: clock, isSecure: settings.isSecure)
        files = FileEndpoint(services: services, sessions: sessions, limits: limits, clock: clock)
        phones = PhoneEndpoint(
            reports: services.phones, limits: limits, clock: clock, allowsPlain: settings.allowsPlainPhones,
            isSecure: settings.isSecure)
        boards = BoardEndpoint(
            reports: services.boards, limits: limits, clock: clock, isSecure: settings.isSecure)
        tiles = Tiles(settings, folder: services.maps)
        if let refused = tiles.refused { logger.error("\(refused) The map is shown without it.") }
        (metrics, showsMetrics) = (services.metrics, settings.showsMetrics)
        health = services.health
        events = EventEndpoint(hub: services.hub, fanOut: EventFanOut(services.hub), sessions: sessions) { error in
            services.methods.report("the events of a browser", error)
        }
        lookedIn = Pages.folders(configured: settings.pages)
        pages = try Self.pages(lookedIn, isConfigured: settings.pages != nil)
        if pages == nil { logger.warning("There are no pages for browsers in \(lookedIn.joined(separator: " or ")).") }
    }

    private static func pages(_ folders: [String], isConfigured: Bool) throws -> Pages? {
        for folder in folders {
            do {
                return try Pages(folder)
            } catch  where isConfigured {
                throw WebError("web.pages: \(error).")
            } catch {}
        }
        return nil
    }

    /// The reason why the configured file of map tiles is not used; `nil` if it is used, or none is configured.
    var refusedMap: RefusedMap? { tiles.refused }

    /// Ends the event streams when the server closes.
    func end() { events.fanOut.end() }

    /// Keeps the event streams alive, until the task is cancelled.
    func sendHeartbeats(_ clock: any Clock<Duration>) async { await events.sendHeartbeats(clock) }

    /// What a path is for.
    private enum Destination {
        case health, events, mapDescription, tiles, metrics, calls, files
        /// A page, or nothing.
        case page
    }

    private func destination(_ path: RequestPath) -> Destination {
        switch (path.parts.first, path.parts.count) {
        case ("healthz", 1): .health
        case ("events", 1): .events
        case ("tiles.json", 1): .mapDescription
        case ("tiles", _): .tiles
        case ("metrics", 1): .metrics
        case ("rpc", 1): .calls
        default: files.route(path) == nil ? .page : .files
        }
    }

    /// Returns the answer to a request.
    func answer(to request: WebRequest, from client: Client) async -> Answer {
        // A request with a second `Host` is refused, because a proxy in front of this server may have checked that one.
        guard hosts.allows(request.head.authority),
            !request.headers.contains(where: { $0.name.canonicalName == "host" })
        else {
            return refused(
                .misdirectedRequest,
                "This machine does not answer to this host name. To allow the name, add it to web.hosts in Waymark's configuration."
            )
        }
        if request.head.path == BoardEndpoint.path { return await boards.answer(to: request, from: client) }
        if Self.isOfPhone(request.head.path ?? "") { return await phones.answer(to: request, from: client) }
        guard let path = RequestPath(request.head.path ?? "") else {
            return refused(.badRequest, "The path is invalid.")
        }
        switch request.method {
        case .get, .head: return await look(path, request, client)
        case .post: return await call(path, request, client)
        default:
            var answer = refused(.methodNotAllowed, "Only GET, HEAD and POST are supported.")
            answer.fields[.allow] = "GET, HEAD, POST"
            return answer
        }
    }

    /// Returns the answer to a request if it is for a page in memory, the same as ``answer(to:from:)`` returns.
    ///
    /// It is `nil` for all other requests, and for any whose connection or body needs a second look.
    func page(for request: HTTPRequestHead) -> ServedFile.Answer? {
        let fields = request.headers
        guard let pages, request.version == .http1_1, request.method == .GET || request.method == .HEAD,
            fields["connection"].allSatisfy({ $0.lowercased() == "keep-alive" }),
            !fields.contains(name: "content-length"), !fields.contains(name: "transfer-encoding")
        else { return nil }
        let names = fields["host"]
        guard names.count == 1, hosts.allows(names.first), request.uri != BoardEndpoint.path,
            !Self.isOfPhone(request.uri), let path = RequestPath(request.uri), case .page = destination(path)
        else { return nil }
        func field(_ name: String) -> String? {
            let values = fields[name]
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        return pages.answer(
            path,
            to: .init(
                ifNoneMatch: field("if-none-match"), acceptEncoding: field("accept-encoding"), isPrompt: true))
    }

    /// Returns whether a request is for the door of the phones, whose parameters may be of any bytes.
    private static func isOfPhone(_ target: String) -> Bool {
        let door = "/" + PhoneEndpoint.door
        return target == door || target.hasPrefix(door + "/") || target.hasPrefix(door + "?")
    }

    private func look(_ path: RequestPath, _ request: WebRequest, _ client: Client) async -> Answer {
        guard !hasBody(request) else { return refused(.badRequest, "A GET or HEAD request must not have a body.") }
        client.requestIsWhole()
        switch destination(path) {
        case .health: return await healthState(for: client)
        case .events: return await events.answer(path, to: request, from: client)
        case .mapDescription: return await tiles.description()
        case .tiles: return await tiles.answer(path, to: request.head)
        case .metrics: return await metrics(for: client)
        case .calls:
            var answer = Answer.text(.methodNotAllowed, "Send calls with POST.")
            answer.fields[.allow] = "POST"
            return answer
        case .files:
            if let answer = await files.answer(path, to: request, from: client) { return answer }
            return page(path, request)
        case .page: return page(path, request)
        }
    }

    private func page(_ path: RequestPath, _ request: WebRequest) -> Answer {
        let wish = ServedFile.Wish(
            ifNoneMatch: request.headers[.ifNoneMatch], acceptEncoding: request.headers[.acceptEncoding])
        if let page = pages?.answer(path, to: wish) { return Answer(page) }
        guard pages == nil, path.parts.isEmpty else { return .text(.notFound, "There is nothing here.") }
        return .text(
            .notFound,
            """
            Waymark is running, but found no pages to show in \(lookedIn.joined(separator: " or ")).
            Install the package, or set web.pages in Waymark's configuration to their folder.
            """)
    }

    private func call(_ path: RequestPath, _ request: WebRequest, _ client: Client) async -> Answer {
        switch path.parts.first {
        case "rpc" where path.parts.count == 1: await calls.answer(to: request, from: client)
        default: await upload(path, request, client) ?? refused(.notFound, "There is nothing here.")
        }
    }

    private func upload(_ path: RequestPath, _ request: WebRequest, _ client: Client) async -> Answer? {
        guard let uploads = files.route(path)?.uploads else { return nil }
        // A form on a foreign page cannot send such a type, and its script must ask for permission first.
        guard request.headers[.contentType]?.lowercased().hasPrefix(uploads.type) ?? false else {
            return refused(.unsupportedMediaType, uploads.advice)
        }
        let hasCookie = SessionCookie.token(in: request.headers[.cookie]) != nil
        if let refusal = calls.originRefusal(of: request, hasCookie: hasCookie) { return refusal }
        return await files.upload(path, request, from: client)
    }

    /// Returns whether the daemon is well, with the reasons for those who may see its metrics.
    private func healthState(for client: Client) async -> Answer {
        guard let health = await health?() else { return .text(.ok, "ok") }
        let isShown = showsMetrics || client.address.isLoopback
        return .text(
            health.isWell ? .ok : .serviceUnavailable, isShown ? health.text : health.isWell ? "ok" : "not well")
    }

    private func metrics(for client: Client) async -> Answer {
        guard let metrics, showsMetrics || client.address.isLoopback else {
            return .text(.notFound, "There is nothing here.")
        }
        do {
            var answer = Answer.text(.ok, try await metrics())
            answer.fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return answer
        } catch {
            return .text(.serviceUnavailable, "The metrics are not available at the moment.")
        }
    }

    private func hasBody(_ request: WebRequest) -> Bool {
        request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
    }

    private func refused(_ status: HTTPResponse.Status, _ text: String) -> Answer {
        var answer = Answer.text(status, text)
        answer.endsConnection = true
        return answer
    }

    /// The machine's host name.
    static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        // gethostname writes at most the given number of bytes, so the last one stays zero.
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        // C's characters are signed on some processors and not on others.
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
