import Crypto
import HTTPTypes
import HummingbirdCore
import NIOCore
import Service
import Synchronization

/// A file that is served from memory, plain or compressed.
struct ServedFile: Sendable {
    /// The media type.
    let type: String
    /// The entity tag, which depends on the content.
    let tag: String
    private let bytes: ByteBuffer
    /// The compressed content, made on first request so that opening the server does not wait for files that nobody
    /// reads.
    private let compressed: Compressed?

    /// Creates a file from its content; the ending of the name determines the media type.
    init(_ bytes: [UInt8], named name: String) {
        type = Self.type(of: name)
        tag = "\"\(SHA256.hash(data: bytes).hexadecimal.prefix(16))\""
        self.bytes = ByteBuffer(bytes: bytes)
        // A file of less than a packet, or one that is compressed already, would gain nothing.
        compressed = bytes.count > 1_000 && Self.isText(type) ? Compressed() : nil
    }

    /// A browser's caching of a file.
    enum Caching: String, Sendable {
        /// The browser keeps the file for ever; its name changes with its content.
        case immutable = "public, max-age=31536000, immutable"
        /// The browser asks each time whether the file has changed.
        case asking = "no-cache"
    }

    /// Returns the answer to a request for the file.
    func answer(to request: HTTPRequest, _ caching: Caching) -> Answer {
        var fields: HTTPFields = [.eTag: tag, .cacheControl: caching.rawValue, .vary: "Accept-Encoding"]
        if let known = request.headerFields[.ifNoneMatch], Self.matches(known, tag) {
            return Answer(.notModified, fields)
        }
        fields[.contentType] = type
        guard let compressed, Self.takesGzip(request.headerFields[.acceptEncoding]),
            let shorter = compressed.bytes(of: bytes)
        else { return Answer(.ok, fields, ResponseBody(byteBuffer: bytes)) }
        fields[.contentEncoding] = "gzip"
        return Answer(.ok, fields, ResponseBody(byteBuffer: shorter))
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

/// The compressed content of a file, made on first request.
private final class Compressed: Sendable {
    /// The cached result; the inner optional is `nil` if compression gains nothing.
    private let known = Mutex<ByteBuffer??>(nil)

    /// Returns the compressed bytes of the file; `nil` if they are no fewer.
    ///
    /// Two simultaneous first requests both compress the file.
    ///
    /// - Complexity: O(*n*) the first time, then O(1).
    func bytes(of file: ByteBuffer) -> ByteBuffer? {
        if let made = known.withLock({ $0 }) { return made }
        let made = Gzip.compressed(Array(file.readableBytesView)).flatMap { bytes in
            bytes.count < file.readableBytes ? ByteBuffer(bytes: bytes) : nil
        }
        known.withLock { $0 = .some(made) }
        return made
    }
}
