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
    func take(_ body: [UInt8], of board: Int64) async throws -> (status: Int, body: [UInt8])
}

/// The door for boards: `POST /in/waymark`.
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
            let (status, bytes) = try await reports.take(body, of: board)
            let type = status == 200 ? "application/json" : "text/plain; charset=utf-8"
            return Answer(
                HTTPResponse.Status(code: status), [.cacheControl: "no-store", .contentType: type],
                ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch let refusal as BodyReader.Refusal {
            return refusal.answer
        } catch {
            var answer = refused(
                .serviceUnavailable, "The events cannot be stored at the moment.", hasReadBody: hasReadBody)
            answer.fields[.retryAfter] = "30"
            return answer
        }
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
