import Deadlines
import HTTPTypes
import HummingbirdCore
import NIOCore
public import Phones
import RPC

/// Takes the reports of phones.
public protocol PhoneReports: Sendable {
    /// Returns the name of the device whose secret this is; `nil` if there is none.
    func device(of secret: PhoneSecret) async throws -> String?

    /// Takes a report, and returns once it is on the disk.
    ///
    /// - Returns: The body of the answer.
    /// - Throws: If it cannot be written now; the phone keeps it and sends it again.
    func receive(_ report: PhoneReport, of device: String) async throws -> [UInt8]
}

/// The door for phones: `/in/`.
///
/// A request is answered with 200 once its fixes are on the disk. What cannot be taken now is answered with 503, never
/// with another 4xx, because OwnTracks for iOS deletes what is answered so. Only a wrong secret (401) and a body that is
/// too long (413) are refused.
struct PhoneEndpoint: Sendable {
    let reports: (any PhoneReports)?
    let limits: WebServer.Limits
    let clock: any Clock<Duration>
    /// Whether requests of other machines are taken without TLS.
    let allowsPlain: Bool
    /// Whether the server uses TLS.
    let isSecure: Bool

    /// The first part of the path.
    static let door = "in"
    /// The seconds after which a phone may try again.
    private static let retry = "30"

    /// Returns the answer to a request of a phone.
    func answer(to request: WebRequest, from client: Client) async -> Answer {
        guard let reports else { return refused(.notFound, "There is nothing here.") }
        guard PhoneRequest.Head.methods.contains(request.method.rawValue) else {
            var answer = refused(.methodNotAllowed, "Phones send their places with GET, POST, PUT or PATCH.")
            answer.fields[.allow] = PhoneRequest.Head.methods.sorted().joined(separator: ", ")
            return answer
        }
        guard isSecure || allowsPlain || client.address.isLoopback else {
            return postponed(
                "Without TLS, everybody in the network could read the places and the secret. Set web.certificate and "
                    + "web.key, or web.phones to plain, in Waymark's configuration.")
        }
        let head = Self.head(of: request)
        var hasReadBody = false
        do {
            // A wrong secret is refused before the body is read.
            var device = try await device(head.secret, reports)
            if head.secret != nil, device == nil { return unknown(hasReadBody: false) }
            hasReadBody = true
            let body = try await body(of: request)
            client.requestIsWhole()
            let whole = PhoneRequest(head: head, body: body)
            if device == nil { device = try await self.device(whole.secret, reports) }
            guard let device else { return unknown(hasReadBody: true) }
            let report = PhoneReport(reading: whole)
            let bytes = try await reports.receive(report, of: device)
            var fields: HTTPFields = [.cacheControl: "no-store"]
            fields[.contentType] = report.answer.contentType
            return Answer(.ok, fields, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch let refusal as BodyReader.Refusal {
            return refusal.answer
        } catch {
            return postponed("The places cannot be stored at the moment.", hasReadBody: hasReadBody)
        }
    }

    private func device(_ secret: PhoneSecret?, _ reports: any PhoneReports) async throws -> String? {
        guard let secret else { return nil }
        return try await reports.device(of: secret)
    }

    private func body(of request: WebRequest) async throws(BodyReader.Refusal) -> [UInt8] {
        var limits = limits
        limits.callBytes = PhoneRequest.maximumBodyLength
        return try await BodyReader(limits, clock).whole(request)
    }

    private static func head(of request: WebRequest) -> PhoneRequest.Head {
        let target = request.head.path ?? ""
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let query = target.dropFirst(path.count).prefix { $0 != "#" }.dropFirst()
        return PhoneRequest.Head(
            path: String(path.dropFirst(door.utf8.count + 2)), query: String(query),
            authorization: request.headers[.authorization])
    }

    private func unknown(hasReadBody: Bool) -> Answer {
        var answer = refused(
            .unauthorized, "No device has this secret. \"waymark devices secret NAME\" makes a new one.",
            hasReadBody: hasReadBody)
        answer.fields[.wwwAuthenticate] = "Basic realm=\"Waymark\""
        return answer
    }

    private func postponed(_ text: String, hasReadBody: Bool = false) -> Answer {
        var answer = refused(.serviceUnavailable, text, hasReadBody: hasReadBody)
        answer.fields[.retryAfter] = Self.retry
        return answer
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
