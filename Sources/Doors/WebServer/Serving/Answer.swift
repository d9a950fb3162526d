import HTTPTypes
import HummingbirdCore
import NIOCore
import RPC
import TextCoding

/// The answer to a request.
struct Answer: Sendable {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: ResponseBody
    /// Whether the connection ends after the answer, because the rest of its input is unwanted.
    var endsConnection = false
    /// Whether the request's body was read, which is possible only once.
    var hasReadBody = false
    /// Whether the answer lasts until the reader disconnects.
    var isStream = false

    /// The fields, with the length of the body if it is known.
    var sized: HTTPFields {
        var fields = fields
        if let length = body.contentLength, status != .notModified, status != .noContent {
            fields[.contentLength] = String(length)
        }
        return fields
    }

    /// Creates an answer; by default without fields and body.
    init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], _ body: ResponseBody = ResponseBody()) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Creates the answer that consists of a file.
    init(_ file: ServedFile.Answer) {
        self.init(file.status, file.fields, ResponseBody(byteBuffer: file.content))
    }

    /// Returns a line of text that browsers do not cache.
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Answer {
        Answer(
            status, [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    /// Returns JSON that browsers do not cache.
    static func json(_ status: HTTPResponse.Status = .ok, _ bytes: [UInt8]) -> Answer {
        Answer(
            status, [.contentType: "application/json", .cacheControl: "no-store"],
            ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns a refusal as JSON outside of JSON-RPC: `{"error":{"code":…,"message":…,"data":…}}`.
    static func error(_ refusal: Refusal) -> Answer {
        let error = RPCError(refusal)
        var json = JSONWriter()
        json.object { json in
            json.object("error") { json in
                json.member("code", error.code.rawValue)
                json.member("message", error.message)
                if let data = error.data {
                    json.key("data")
                    json.value(data)
                }
            }
        }
        return .json(status(of: refusal), json.bytes)
    }

    /// Returns the HTTP status for a refusal.
    static func status(of refusal: Refusal) -> HTTPResponse.Status {
        switch refusal.kind {
        case .notFound: .notFound
        case .notAllowed: .forbidden
        case .conflict: .conflict
        case .invalidValue: .badRequest
        case .cursorGone: .gone
        case .unavailable: refusal.data?["retry_after"] == nil ? .serviceUnavailable : .tooManyRequests
        }
    }
}

/// The headers of every answer that restrict what a browser does with it.
struct SecurityHeaders: Sendable {
    private let fields: HTTPFields

    /// Creates the headers; the map may show pictures of the provider.
    init(provider: String?) {
        let images = "'self' data: blob:" + (provider.flatMap(Self.origin).map { " \($0)" } ?? "")
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src \(images)", "connect-src 'self'",
            "font-src 'self'", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ]
        var fields = HTTPFields()
        func set(_ name: String, _ value: String) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        set("Content-Security-Policy", policy.joined(separator: "; "))
        set("X-Content-Type-Options", "nosniff")
        set("Referrer-Policy", "no-referrer")
        set("Cross-Origin-Opener-Policy", "same-origin")
        set("Permissions-Policy", "geolocation=(self)")
        self.fields = fields
    }

    /// Returns an answer's fields together with these headers.
    func added(to answer: HTTPFields) -> HTTPFields {
        var all = answer
        for field in fields { all[field.name] = field.value }
        return all
    }

    /// Returns the origin of a URL template such as `https://{s}.tile.example/{z}/{x}/{y}.png`, with `*` for a variable
    /// subdomain.
    static func origin(_ template: String) -> String? {
        guard let separator = template.firstRange(of: "://") else { return nil }
        let scheme = template[..<separator.lowerBound]
        guard ["http", "https"].contains(scheme) else { return nil }
        let host = template[separator.upperBound...].prefix { !"/?#".contains($0) }.replacing("{s}", with: "*")
        let isPlain = host.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "_")
                && (Authority("\(Character(Unicode.Scalar(byte)))") != nil || "*:".utf8.contains(byte))
        }
        return isPlain && !host.isEmpty ? "\(scheme)://\(host)" : nil
    }
}
