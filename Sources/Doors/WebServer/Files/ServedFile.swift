import Compression
import Crypto
import HTTPTypes
import NIOCore
import Service

/// A file that is served from memory, plain or compressed.
struct ServedFile: Sendable {
    /// The media type.
    let type: String
    /// The entity tag, which depends on the content.
    let tag: String
    private let bytes: ByteBuffer
    /// The compressed content, made on first request so that opening the server does not wait for files that nobody
    /// reads.
    ///
    /// Its value is `nil` if compression gains nothing.
    private let compressed: OnFirstUse<ByteBuffer?>?

    /// Creates a file from its content; the ending of the name determines the media type.
    init(_ bytes: [UInt8], named name: String) {
        type = Self.type(of: name)
        tag = "\"\(SHA256.hash(data: bytes).hexadecimal.prefix(16))\""
        let content = ByteBuffer(bytes: bytes)
        self.bytes = content
        // A file of less than a packet, or one that is compressed already, would gain nothing.
        guard bytes.count > 1_000, Self.isText(type) else {
            compressed = nil
            return
        }
        compressed = OnFirstUse {
            Gzip.compressed(Array(content.readableBytesView)).flatMap { shorter in
                shorter.count < content.readableBytes ? ByteBuffer(bytes: shorter) : nil
            }
        }
    }

    /// A browser's caching of a file.
    enum Caching: String, Sendable {
        /// The browser keeps the file for ever; its name changes with its content.
        case immutable = "public, max-age=31536000, immutable"
        /// The browser asks each time whether the file has changed.
        case asking = "no-cache"
    }

    /// What a request says about how it wants a file.
    struct Wish: Sendable {
        /// The header `If-None-Match`.
        var ifNoneMatch: String?
        /// The header `Accept-Encoding`.
        var acceptEncoding: String?
        /// Whether there is to be no answer rather than one that takes more than a look at the memory.
        var isPrompt = false
    }

    /// The answer to a request for a file.
    struct Answer: Sendable {
        var status: HTTPResponse.Status
        var fields: HTTPFields
        var content = ByteBuffer()
    }

    /// Returns the answer to a request for the file; `nil` only for one that is to be prompt.
    func answer(to wish: Wish, _ caching: Caching) -> Answer? {
        var fields: HTTPFields = [.eTag: tag, .cacheControl: caching.rawValue, .vary: "Accept-Encoding"]
        if let known = wish.ifNoneMatch, Self.matches(known, tag) {
            return Answer(status: .notModified, fields: fields)
        }
        fields[.contentType] = type
        guard let compressed, Self.takesGzip(wish.acceptEncoding) else {
            return Answer(status: .ok, fields: fields, content: bytes)
        }
        guard let shorter = wish.isPrompt ? compressed.made : compressed.value else { return nil }
        guard let shorter else { return Answer(status: .ok, fields: fields, content: bytes) }
        fields[.contentEncoding] = "gzip"
        return Answer(status: .ok, fields: fields, content: shorter)
    }

    /// Whether a header `If-None-Match` contains a tag.
    static func matches(_ header: String, _ tag: String) -> Bool {
        header.split(separator: ",").contains { known in
            let known = known.drop { $0 == " " }
            return known == "*" || (known.hasPrefix("W/") ? known.dropFirst(2) : known).prefix { $0 != " " } == tag
        }
    }

    private static func takesGzip(_ header: String?) -> Bool {
        header?.lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first == "gzip" && !parts.dropFirst().contains { ["q=0", "q=0.0"].contains($0) }
        } ?? false
    }

    private static func isText(_ type: String) -> Bool {
        type.hasPrefix("text/") || type.contains("json") || type.contains("svg") || type.contains("javascript")
    }

    /// Returns the media type of a file by the ending of its name.
    static func type(of name: String) -> String {
        switch name.split(separator: ".").last.map({ $0.lowercased() }) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
