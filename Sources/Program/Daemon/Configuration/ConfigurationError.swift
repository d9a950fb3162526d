/// The reason why a configuration is refused, with all its problems.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One problem of a configuration.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The origin of the problem: `FILE:LINE`, `FILE`, `environment variable NAME`, `--source`, or `default`.
        public let origin: String
        /// The key with the problem; `nil` if the problem concerns the whole file.
        public let key: String?
        /// The problem and the allowed values, as a clause without a full stop.
        public let reason: String

        /// Creates a problem from its origin, key and reason.
        public init(origin: String, key: String? = nil, reason: String) {
            self.origin = origin
            self.key = key
            self.reason = reason
        }

        /// Whether the problem is with an option of the command line, which its origin names.
        public var isOfOption: Bool { origin.hasPrefix("--") }

        /// The problem on one line: its origin, its key and its reason; an option needs no key.
        public var description: String { "\(origin): \(key.map { isOfOption ? "" : "\($0): " } ?? "")\(reason)" }
    }

    /// The problems in order: those of the file, of the environment, and of the flags.
    public let problems: [Problem]

    /// Creates an error from its problems.
    public init(problems: [Problem]) { self.problems = problems }

    /// The most problems to list, because nobody reads more and a broken file may have very many.
    public static let maximumListed = 40

    /// The problems as lines, followed by the number of those that are not listed.
    public var lines: [String] {
        let told = problems.prefix(Self.maximumListed).map(\.description)
        return problems.count > told.count ? told + ["and \(problems.count - told.count) more problems"] : told
    }

    /// The problems, one per line.
    public var description: String { lines.joined(separator: "\n") }
}
