import Crypto
import HTTPTypes
import HummingbirdCore
import NIOCore
import Service
import Synchronization

/// A file that is served whole from memory, as it is or compressed.
struct ServedFile: Sendable {
    /// Its media type.
    let type: String
    /// What tells it from another version of itself.
    let tag: String
    private let bytes: ByteBuffer
    /// Made when it is first asked for: a door that opens would else wait for files that nobody reads.
    private let compressed: Compressed?

    /// A file of these bytes.
    init(_ bytes: [UInt8], named name: String) {
        type = Self.type(of: name)
        tag = "\"\(SHA256.hash(data: bytes).hexadecimal.prefix(16))\""
        self.bytes = ByteBuffer(bytes: bytes)
        // What is less than a packet or compressed already gains nothing.
        compressed = bytes.count > 1_000 && Self.isText(type) ? Compressed() : nil
    }

    /// How a browser may keep it.
    enum Caching: String, Sendable {
        /// For ever: its name changes with it.
        case immutable = "public, max-age=31536000, immutable"
        /// Until it has asked whether it is still the same.
        case asking = "no-cache"
    }

    /// The answer to a request for it.
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

    /// Whether a header `If-None-Match` names a tag.
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

    /// The media type of a file by the ending of its name.
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

/// What a file is compressed, once somebody has asked.
private final class Compressed: Sendable {
    /// The inner one is nil where compressing gains nothing.
    private let known = Mutex<ByteBuffer??>(nil)

    /// The compressed bytes of the file that this is of; nil where they are no fewer.
    ///
    /// Two that ask first at once both compress it.
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
