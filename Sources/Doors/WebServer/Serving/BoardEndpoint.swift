import Compression
import Deadlines
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Takes the events of other machines that run Waymark.
public protocol BoardReports: Sendable {
    /// The longest body, in bytes.
    var longestBody: Int { get }

    /// Returns the number of the board with a secret; `nil` if there is none.
    func board(secret: String) async throws -> Int64?

    /// Takes a batch of events, and returns once it is on the disk.
    ///
    /// - Returns: The status and the body of the answer.
    /// - Throws: If it cannot be written now; the board keeps it and sends it again.
    func receive(_ body: [UInt8], of board: Int64) async throws -> (status: Int, body: [UInt8])
}

/// The door for boards: `POST /in/waymark`, with a body that may be compressed by gzip.
struct BoardEndpoint: Sendable {
    let reports: (any BoardReports)?
    let limits: WebServer.Limits
    let clock: any Clock<Duration>
    /// Whether the server uses TLS.
    let isSecure: Bool

    /// The path.
    static let path = "/\(PhoneEndpoint.door)/waymark"

    /// Returns the answer to a request of a board.
    func answer(to request: WebRequest, from client: Client) async -> Answer {
        guard let reports else { return refused(.notFound, "There is nothing here.") }
        guard request.method == .post else {
            var answer = refused(.methodNotAllowed, "Boards send their events with POST.")
            answer.fields[.allow] = "POST"
            return answer
        }
        guard isSecure || client.address.isLoopback else {
            return refused(
                .forbidden,
                "Without TLS, everybody in the network could read the events and the secret. Set "
                    + "web.certificate and web.key in Waymark's configuration.")
        }
        var hasReadBody = false
        do {
            // A wrong secret is refused before the body is read.
            guard let secret = Self.secret(in: request.headers[.authorization]),
                let board = try await reports.board(secret: secret)
            else {
                var answer = refused(
                    .unauthorized, "No board has this secret. \"waymark uplink board NAME\" makes a new one.")
                answer.fields[.wwwAuthenticate] = "Bearer"
                return answer
            }
            hasReadBody = true
            var limits = limits
            limits.callBytes = reports.longestBody
            let body = try await BodyReader(limits, clock).whole(request)
            client.requestIsWhole()
            let plain = try expanded(body, request.headers[.contentEncoding])
            let (status, bytes) = try await reports.receive(plain, of: board)
            let type = status == 200 ? "application/json" : "text/plain; charset=utf-8"
            return Answer(
                HTTPResponse.Status(code: status),
                [.acceptEncoding: Self.encoding, .cacheControl: "no-store", .contentType: type],
                ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch is Gzip.Failure {
            return refused(
                .badRequest, "The body is not gzip, or longer than \(reports.longestBody) bytes.", hasReadBody: true)
        } catch is UnknownEncoding {
            var answer = refused(
                .unsupportedMediaType, "A body may be compressed by gzip and by nothing else.", hasReadBody: true)
            answer.fields[.acceptEncoding] = Self.encoding
            return answer
        } catch let refusal as BodyReader.Refusal {
            return refusal.answer
        } catch {
            var answer = refused(
                .serviceUnavailable, "The events cannot be stored at the moment.", hasReadBody: hasReadBody)
            answer.fields[.retryAfter] = "30"
            return answer
        }
    }

    private struct UnknownEncoding: Error {}

    /// The one encoding that a body may have, under which each answer says that it may.
    private static let encoding = "gzip"

    private func expanded(_ body: [UInt8], _ encoding: String?) throws -> [UInt8] {
        guard let encoding, let longest = reports?.longestBody else { return body }
        guard encoding.lowercased() == Self.encoding else { throw UnknownEncoding() }
        return try Gzip.expanded(body, atMost: longest)
    }

    /// Returns the secret of a header `Authorization: Bearer SECRET`.
    private static func secret(in header: String?) -> String? {
        let words = (header ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", words[1].utf8.count <= 256 else { return nil }
        return String(words[1])
    }

    private func refused(
        _ status: HTTPResponse.Status, _ text: String, hasReadBody: Bool = false
    ) -> Answer {
        var answer = Answer.text(status, text)
        answer.endsConnection = true
        answer.hasReadBody = hasReadBody
        return answer
    }
}
