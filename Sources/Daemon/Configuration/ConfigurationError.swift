/// Why a configuration is refused: everything that is wrong with it, not just the first.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// Where it stands: `FILE:LINE`, `FILE`, `environment variable NAME`, `--source`, or `default`.
        public let origin: String
        /// The key it concerns; nil where it concerns all of the file.
        public let key: String?
        /// What is wrong and what is allowed, as a clause without a full stop.
        public let reason: String

        /// One thing that is wrong.
        public init(origin: String, key: String? = nil, reason: String) {
            self.origin = origin
            self.key = key
            self.reason = reason
        }

        /// On one line: where, which key, what is wrong and what is allowed.
        public var description: String { "\(origin): \(key.map { "\($0): " } ?? "")\(reason)" }
    }

    /// The problems, those of the file first, in its order, then those of the environment and of the flags.
    public let problems: [Problem]

    /// A configuration with these problems.
    public init(problems: [Problem]) { self.problems = problems }

    /// How many problems are told one by one: more are not read, and a broken file may have very many.
    public static let mostTold = 40

    /// The problems as lines, to be told one by one.
    public var lines: [String] {
        let told = problems.prefix(Self.mostTold).map(\.description)
        return problems.count > told.count ? told + ["and \(problems.count - told.count) more problems"] : told
    }

    /// The problems, each on its line.
    public var description: String { lines.joined(separator: "\n") }
}
