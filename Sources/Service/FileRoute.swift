public import EventStream
public import RPC

/// Files of a feature, for doors that serve files: what lies below a path, and what comes in there.
public struct FileRoute: Sendable {
    /// What somebody wants of it.
    public struct Request: Sendable {
        /// The call, with its caller.
        public var call: Call<Principal>
        /// The parts of the path that `*` of the route stands for, and those below the route.
        public var rest: [String]
        /// What is said besides.
        public var parameters: [String: String]
        /// How many bytes come; nil where nobody knows, or none do.
        public var length: Int?

        /// What somebody wants.
        public init(call: Call<Principal>, rest: [String], parameters: [String: String], length: Int? = nil) {
            self.call = call
            self.rest = rest
            self.parameters = parameters
            self.length = length
        }
    }

    /// The parts of its path, at least one; `*` stands for any.
    public let path: [String]
    /// Finds a file, or throws `Refusal.notFound` if there is none or the caller may not see it.
    public var find: (@Sendable (Request) async throws -> Download)?
    /// Begins to take a file.
    public var receive: (@Sendable (Request) async throws -> any FileReceiver)?

    /// A route without files.
    public init(_ path: String...) { self.path = path }

    /// What ``Request/rest`` is for a path; nil where the path does not match this route.
    public func rest(of parts: [String]) -> [String]? {
        guard parts.count >= path.count else { return nil }
        var rest: [String] = []
        for (wanted, part) in zip(path, parts) {
            if wanted == "*" { rest.append(part) } else if wanted != part { return nil }
        }
        return rest + parts.dropFirst(path.count)
    }
}

/// A file that somebody may have.
public struct Download: Sendable {
    /// Where its bytes come from.
    public enum Source: Sendable {
        /// So many bytes, of which `read` gives some from an offset on, at least one.
        case bytes(_ count: Int, _ read: @Sendable (_ offset: Int) async throws -> [UInt8])
        /// Pieces, one after another, until there is none.
        case pieces(_ next: @Sendable () async throws -> [UInt8]?)
    }

    /// Its media type.
    public var type: String
    /// Where its bytes come from.
    public var source: Source
    /// What tells it from another version of itself; a file that has it never changes.
    public var tag: String?
    /// What it is called where it is kept; nil for what is only shown.
    public var name: String?
    /// How long a browser may show it without asking again, where it has a tag; nil for ever.
    public var freshness: Duration?

    /// A file.
    public init(type: String, _ source: Source, tag: String? = nil, name: String? = nil) {
        self.type = type
        self.source = source
        self.tag = tag
        self.name = name
    }

    /// A file of a text.
    public init(type: String, text: String, name: String) {
        let bytes = Array(text.utf8)
        self.init(type: type, .bytes(bytes.count) { Array(bytes.dropFirst($0)) }, name: name)
    }
}

/// A file that comes piece by piece, for one task.
public protocol FileReceiver: Sendable {
    /// Takes the next bytes.
    func take(_ bytes: [UInt8]) async throws
    /// Makes of it what it was sent for, and answers that.
    func finish() async throws -> JSONText
    /// Forgets it, as the rest does not come.
    func cancel() async
}
