public import Callers
public import RPC

/// The files of a feature below one path, for doors that serve files and accept uploads.
public struct FileRoute: Sendable {
    /// A request to download or upload a file.
    public struct Request: Sendable {
        /// The call, which carries the caller.
        public var call: Call<Principal>
        /// The components of the path that match `*` in the route, followed by those below the route.
        public var rest: [String]
        /// The parameters of the query, by name.
        public var parameters: [String: String]
        /// The length of the body in bytes; `nil` if it is unknown or there is no body.
        public var length: Int?

        /// Creates a request.
        public init(call: Call<Principal>, rest: [String], parameters: [String: String], length: Int? = nil) {
            self.call = call
            self.rest = rest
            self.parameters = parameters
            self.length = length
        }
    }

    /// The components of the route's path, at least one.
    ///
    /// The component `*` matches any component.
    public let path: [String]
    /// Finds the file to download.
    ///
    /// It throws `Refusal.notFound` if there is no such file or the caller may not see it.
    public var find: (@Sendable (Request) async throws -> Download)?
    /// Begins an upload.
    public var receive: (@Sendable (Request) async throws -> any FileReceiver)?

    /// The uploads that the route receives; photos by default.
    public var uploads = Uploads(
        type: "image/", advice: "Send a photo as image/jpeg, image/png, image/webp or image/heic.")

    /// What a route receives.
    public struct Uploads: Sendable {
        /// The beginning of the media type, in lower case.
        ///
        /// A form on a foreign page must not be able to send such a type; its script must ask for permission first.
        public var type: String
        /// What to send, as a sentence, for those who send another type.
        public var advice: String
        /// The longest time for an upload; `nil` for the server's limit.
        public var longest: Duration?

        /// Creates the description of uploads.
        public init(type: String, advice: String, longest: Duration? = nil) {
            self.type = type
            self.advice = advice
            self.longest = longest
        }
    }

    /// Creates a route that neither serves nor accepts files until ``find`` or ``receive`` is set.
    public init(_ path: String...) { self.path = path }

    /// Returns the value of ``Request/rest`` for a path; `nil` if the path does not match this route.
    public func rest(of parts: [String]) -> [String]? {
        guard parts.count >= path.count else { return nil }
        var rest: [String] = []
        for (wanted, part) in zip(path, parts) {
            if wanted == "*" { rest.append(part) } else if wanted != part { return nil }
        }
        return rest + parts.dropFirst(path.count)
    }
}

/// A file to download.
public struct Download: Sendable {
    /// A source of the file's bytes.
    public enum Source: Sendable {
        /// A file of `count` bytes.
        ///
        /// `read` returns at least one byte from `offset` on.
        case bytes(_ count: Int, _ read: @Sendable (_ offset: Int) async throws -> [UInt8])
        /// A stream of unknown length.
        ///
        /// `next` returns the next piece, or `nil` at the end.
        case pieces(_ next: @Sendable () async throws -> [UInt8]?)
    }

    /// The media type.
    public var type: String
    /// The source of the bytes.
    public var source: Source
    /// The tag that identifies this version of the file.
    ///
    /// The bytes of a file with a given tag never change.
    public var tag: String?
    /// The file name to save it under; `nil` if the file is only displayed.
    public var name: String?
    /// How long a browser may use its copy of a tagged file without asking again; `nil` for no limit.
    public var freshness: Duration?

    /// Creates a download with the given source.
    public init(type: String, _ source: Source, tag: String? = nil, name: String? = nil) {
        self.type = type
        self.source = source
        self.tag = tag
        self.name = name
    }

    /// Creates a download of a text, encoded as UTF-8.
    public init(type: String, text: String, name: String) {
        let bytes = Array(text.utf8)
        self.init(type: type, .bytes(bytes.count) { Array(bytes.dropFirst($0)) }, name: name)
    }
}

/// An upload in progress, which one task feeds piece by piece.
public protocol FileReceiver: Sendable {
    /// Appends bytes to the upload.
    func write(_ bytes: [UInt8]) async throws
    /// Completes the upload, and returns the answer to the client.
    func finish() async throws -> JSONText
    /// Discards the upload because the rest will not arrive.
    func cancel() async
}
