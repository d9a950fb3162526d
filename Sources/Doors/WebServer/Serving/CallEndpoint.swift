import Callers
import Deadlines
import HTTPTypes
import HummingbirdCore
import NIOCore
import RPC
import Service
import Store

/// The methods over HTTP: `POST /rpc`.
struct CallEndpoint: Sendable {
    let services: WebServer.Services
    let sessions: WebSessions
    let limits: WebServer.Limits
    let clock: any Clock<Duration>
    /// Whether browsers send the cookie over TLS only.
    let isSecure: Bool

    private static let type = "application/json"

    /// Returns the answer to a call or a batch of calls.
    func answer(to request: WebRequest, from client: Client) async -> Answer {
        let type = request.headers[.contentType]
        guard type == Self.type || type?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() == Self.type else {
            return refused(.unsupportedMediaType, "Send the call with the content type application/json.")
        }
        let token = SessionCookie.token(in: request.headers[.cookie])
        if let refusal = originRefusal(of: request, hasCookie: token != nil) { return refusal }
        sessions.recognise(client, token)
        let body: [UInt8]
        do {
            body = try await BodyReader(limits, clock).whole(request, on: services.executor)
        } catch {
            return error.answer
        }
        client.requestIsWhole()
        do {
            return try await answer(body, token, client, program: request.headers[.userAgent])
        } catch let refusal as Refusal {
            return .json(.ok, RPCError(refusal).line)
        } catch let error as RPCError {
            return .json(.ok, error.line)
        } catch {
            if let refusal = (error as? StoreError)?.refusal { return .json(.ok, RPCError(refusal).line) }
            // A caller who has gone is no failure.
            if !(error is CancellationError) { services.methods.report("the session of a browser", error) }
            return .json(.ok, RPCError(.internalError, "The call failed; the server's log says why.").line)
        }
    }

    /// Returns the refusal of a request that changes something, because of its origin; `nil` if the request is allowed.
    ///
    /// A page of another server may never send one. A request without an origin may send one only without a session.
    func originRefusal(of request: WebRequest, hasCookie: Bool) -> Answer? {
        let source = OriginRule.source(
            origin: request.headers[.origin], site: request.headers[values: .fetchSite].first,
            host: request.head.authority)
        switch source {
        case .same: return nil
        case .foreign: return refused(.forbidden, "Only the pages of this server may do this.")
        case .unknown:
            guard hasCookie else { return nil }
            let host = request.head.authority ?? "HOST"
            return refused(
                .forbidden, "With a session's cookie, send the header Origin as well: \"Origin: http://\(host)\".")
        }
    }

    private func answer(
        _ body: [UInt8], _ token: String?, _ client: Client, program: String?
    ) async throws -> Answer {
        let (caller, isStale) = try await sessions.caller(client, token, program: program)
        let message = try MethodTable<Principal>.message(in: body)
        let admission = try admission(in: message)
        let before = caller.identity
        let done = try await within(limits.callTime, clock, on: services.executor) {
            (bytes: await services.methods.answer(to: message, from: caller), ())
        }
        guard let done else {
            throw RPCError.unavailable("The call took longer than \(limits.callTime) and was cancelled.")
        }
        var bytes = done.bytes
        var cookie: String?
        if admission, caller.identity?.session != nil, caller.identity != before, let answer = bytes {
            let (text, given) = try Self.withoutToken(answer)
            bytes = text
            cookie = given.map { SessionCookie.setting($0, isSecure: isSecure) }
        }
        if cookie == nil, let token, isStale || caller.identity == nil {
            sessions.forget(token)
            cookie = SessionCookie.setting(nil, isSecure: isSecure)
        }
        var answer = bytes.map { Answer.json(.ok, $0) } ?? Answer(.noContent, [.cacheControl: "no-store"])
        answer.fields[.setCookie] = cookie
        return answer
    }

    /// Whether a call signs the caller in.
    ///
    /// - Throws: An error if such a call is part of a batch, because it would be ambiguous which answer sets the
    ///   cookie.
    private func admission(in message: JSONValue) throws(RPCError) -> Bool {
        guard let methods = services.sessions?.methods else { return false }
        func signsIn(_ call: JSONValue) -> Bool {
            if case .string(let method)? = call["method"] { methods.contains(method) } else { false }
        }
        guard case .array(let calls) = message else { return signsIn(message) }
        guard !calls.contains(where: signsIn) else {
            throw RPCError(.invalidRequest, "Sign in with a separate call, not in a batch.")
        }
        return false
    }

    /// Removes the token from an answer, and returns both.
    private static func withoutToken(_ line: [UInt8]) throws -> ([UInt8], String?) {
        let text = Array(line.dropLast())
        guard case .object(var answer) = try JSONValue(parsing: text.span),
            case .object(var result)? = answer["result"], case .string(let token)? = result["token"]
        else { return (line, nil) }
        result["token"] = nil
        answer["result"] = .object(result)
        return (JSONText(.object(answer)).bytes + [LineFraming.end], token)
    }

    private func refused(_ status: HTTPResponse.Status, _ text: String) -> Answer {
        var answer = Answer.text(status, text)
        answer.endsConnection = true
        return answer
    }
}

extension HTTPField.Name {
    /// `Sec-Fetch-Site`: the relation between a request's origin and this server, as the browser reports it.
    static let fetchSite = Self("Sec-Fetch-Site") ?? .origin
}

/// A reader of request bodies with a limit of size and time.
struct BodyReader {
    private let limits: WebServer.Limits
    private let clock: any Clock<Duration>

    /// The reason why a body was not read.
    enum Refusal: Error {
        case tooLong(Int, hasBegun: Bool)
        case tooSlow(Duration)
        case broken

        /// The answer to send.
        var answer: Answer {
            var answer =
                switch self {
                case .tooLong(let most, _): Answer.text(.contentTooLarge, "The request is larger than \(most) bytes.")
                case .tooSlow(let time): Answer.text(.requestTimeout, "The request did not arrive within \(time).")
                case .broken: Answer.text(.badRequest, "The request is incomplete.")
                }
            answer.endsConnection = true
            answer.hasReadBody = hasBegun
            return answer
        }

        /// Whether reading the body had begun.
        private var hasBegun: Bool { if case .tooLong(_, false) = self { false } else { true } }
    }

    init(_ limits: WebServer.Limits, _ clock: any Clock<Duration>) {
        self.limits = limits
        self.clock = clock
    }

    /// Reads the whole body of a call.
    func whole(
        _ request: WebRequest, on executor: (any TaskExecutor)? = nil
    ) async throws(Refusal) -> [UInt8] {
        let most = limits.callBytes
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > most {
            throw .tooLong(most, hasBegun: false)
        }
        let lingering = limits.lingeringBytes
        let body = request.body
        let result: Result<[UInt8], Refusal>?
        do {
            result = try await within(limits.bodyTime, clock, on: executor) {
                var (bytes, count): ([UInt8], Int) = ([], 0)
                for try await piece in body {
                    count += piece.readableBytes
                    if count <= most { bytes += piece.readableBytesView }
                    // The bytes to discard are limited, too.
                    if count > most + lingering { break }
                }
                return count <= most ? .success(bytes) : .failure(.tooLong(most, hasBegun: true))
            }
        } catch {
            throw .broken
        }
        guard let result else { throw .tooSlow(limits.bodyTime) }
        return try result.get()
    }
}
