import Callers
import Deadlines
import HTTPTypes
import HummingbirdCore
import NIOCore
import RPC
import Service
import Store
import Synchronization

/// The files of the features over HTTP.
struct FileEndpoint: Sendable {
    let services: WebServer.Services
    let sessions: WebSessions
    let limits: WebServer.Limits
    let clock: any Clock<Duration>

    /// Returns the route for a path; `nil` if no feature has one.
    func route(_ path: RequestPath) -> FileRoute? { services.files.first { $0.rest(of: path.parts) != nil } }

    // MARK: Downloads

    /// Returns a file or a part of it; `nil` if the path has no route for downloads.
    func answer(_ path: RequestPath, to request: WebRequest, from client: Client) async -> Answer? {
        guard let route = route(path), let find = route.find else { return nil }
        return await answering {
            let wanted = try await wish(path, route, request, client)
            let file = try await StoreReader.$current.withValue(reader(wanted)) { try await find(wanted) }
            return Self.answer(file, to: request) { read in
                try await StoreReader.$current.withValue(reader(wanted)) { try await read() }
            }
        }
    }

    private typealias Reading = @Sendable () async throws -> [UInt8]?

    private static func answer(
        _ file: Download, to request: WebRequest, _ conduct: @escaping @Sendable (Reading) async throws -> [UInt8]?
    ) -> Answer {
        var fields: HTTPFields = [.contentType: file.type, .cacheControl: "no-store", .vary: "Cookie"]
        if let tag = file.tag.map({ "\"\($0)\"" }) {
            fields[.eTag] = tag
            fields[.cacheControl] =
                file.freshness.map { "private, max-age=\($0.components.seconds)" }
                ?? "private, max-age=31536000, immutable"
            if let known = request.headers[.ifNoneMatch], ServedFile.matches(known, tag) {
                return Answer(.notModified, fields)
            }
        }
        if let name = file.name { fields[.contentDisposition] = "attachment; filename=\"\(plain(name))\"" }
        switch file.source {
        case .pieces(let next):
            return Answer(
                .ok, fields,
                ResponseBody { writer in
                    while let piece = try await conduct(next) { try await writer.write(ByteBuffer(bytes: piece)) }
                    try await writer.finish(nil)
                })
        case .bytes(let count, let read):
            fields[.acceptRanges] = "bytes"
            let isStale = request.headers[.ifRange].map { $0 != fields[.eTag] } ?? false
            var (range, status) = (0..<count, HTTPResponse.Status.ok)
            switch ByteRange(isStale ? nil : request.headers[.range], of: count) {
            case .whole: break
            case .part(let part):
                (range, status) = (part, .partialContent)
                fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
            case .unsatisfiable:
                return Answer(.rangeNotSatisfiable, [.contentRange: "bytes */\(count)", .cacheControl: "no-store"])
            }
            let wanted = range
            return Answer(
                status, fields,
                ResponseBody(contentLength: wanted.count) { writer in
                    var offset = wanted.lowerBound
                    while offset < wanted.upperBound {
                        let begin = offset
                        guard
                            let piece = try await conduct({ try await read(begin) })?.prefix(wanted.upperBound - begin),
                            !piece.isEmpty
                        else { throw Refusal.unavailable("The file became shorter while it was being sent.") }
                        try await writer.write(ByteBuffer(bytes: piece))
                        offset += piece.count
                    }
                    try await writer.finish(nil)
                })
        }
    }

    /// Replaces the characters that are unsafe in a header or in a file name.
    private static func plain(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) ? $0 : "_" })
    }

    // MARK: Uploads

    /// Receives a file; returns `nil` if the path has no route for uploads.
    func upload(_ path: RequestPath, _ request: WebRequest, from client: Client) async -> Answer? {
        guard let route = route(path), let receive = route.receive else { return nil }
        let limits = limits
        let body = request.body
        let hasBegun = Mutex(false)
        var answer = await answering {
            let wanted = try await wish(path, route, request, client)
            return try await StoreReader.$current.withValue(reader(wanted)) {
                let receiver = try await receive(wanted)
                do {
                    hasBegun.withLock { $0 = true }
                    let longest = route.uploads.longest ?? limits.uploadTime
                    let isWhole = try await within(longest, clock) {
                        try await Self.pass(body, to: receiver, limits)
                        return true
                    }
                    guard isWhole != nil else {
                        await receiver.cancel()
                        return BodyReader.Refusal.tooSlow(longest).answer
                    }
                    return .json(.ok, try await receiver.finish().bytes + [LineFraming.end])
                } catch {
                    await receiver.cancel()
                    throw error
                }
            }
        }
        answer.hasReadBody = hasBegun.withLock { $0 }
        if answer.status != .ok { answer.endsConnection = true }
        return answer
    }

    /// Passes the body on to a receiver.
    ///
    /// After a refusal, a limited number of bytes is discarded, so that the sender is not cut off before it reads the
    /// answer.
    private static func pass(
        _ body: RequestBody, to receiver: any FileReceiver, _ limits: WebServer.Limits
    ) async throws {
        var refusal: (any Error)?
        var thrownAway = 0
        for try await piece in body {
            guard refusal == nil else {
                thrownAway += piece.readableBytes
                if thrownAway > limits.lingeringBytes { break }
                continue
            }
            do {
                try await receiver.write(Array(piece.readableBytesView))
            } catch {
                refusal = error
            }
        }
        if let refusal { throw refusal }
    }

    private func wish(
        _ path: RequestPath, _ route: FileRoute, _ request: WebRequest, _ client: Client
    ) async throws -> FileRoute.Request {
        let (caller, _) = try await sessions.caller(client, SessionCookie.token(in: request.headers[.cookie]))
        guard caller.has(.read) else { throw Refusal.notAllowed("You need the right to read to get files.") }
        return FileRoute.Request(
            call: Call(caller: caller), rest: route.rest(of: path.parts) ?? [],
            parameters: path.parameters, length: request.headers[.contentLength].flatMap { Int($0) })
    }

    private func reader(_ wanted: FileRoute.Request) -> StoreReader {
        StoreReader(origin: wanted.call.caller.origin.key, connection: wanted.call.caller.number)
    }

    private func answering(_ body: () async throws -> Answer) async -> Answer {
        do {
            return try await body()
        } catch let refusal as Refusal {
            return .error(refusal)
        } catch {
            if let refusal = (error as? StoreError)?.refusal { return .error(refusal) }
            // A reader who has gone is no failure.
            if !(error is CancellationError) { services.methods.report("a file for a browser", error) }
            return .error(.unavailable("The file is not available at the moment; the server's log says why."))
        }
    }
}
