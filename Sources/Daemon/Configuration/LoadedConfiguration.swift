internal import Configuration
import Foundation
import Synchronization
import WebServer

/// A configuration, with what is known of where it came from.
public struct LoadedConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// A key with its value.
    public struct Setting: Hashable, Sendable {
        /// The key's name in the file, its group before it: `tracking.dwell`.
        public let key: String
        /// The value as it was written; of a list, the elements.
        public let values: [String]
        /// Where it stands: `default`, `FILE:LINE`, `environment variable NAME`, or the flag.
        public let origin: String
    }

    /// The configuration.
    public let configuration: DaemonConfiguration
    /// The absolute path of the file that was read; nil where there was none.
    public let file: String?
    /// Every key, in the order of the documentation.
    public let settings: [Setting]

    /// Reads the configuration: the flags go before the environment, that before the file, and that before the
    /// defaults, key by key.
    ///
    /// The file is YAML; see the sample that is installed with the unit. A variable is `WAYMARK_` and the key in
    /// capitals, `_` in place of `.` and `-`; in `WAYMARK_SOURCES`, commas or blanks stand between the sources.
    ///
    /// - Parameters:
    ///   - file: The file to read; it must be there. Nil for the default one, if there is one.
    ///   - flags: What the command line says.
    ///   - surroundings: The environment and the like.
    ///   - checkingURL: Throws where the URL of a source is none; the error's description says why.
    /// - Throws: ``ConfigurationError`` with all that is wrong, in values that others override too.
    public init(
        file: String?, flags: DaemonFlags, surroundings: ConfigurationSurroundings,
        checkingURL: @escaping (String) throws -> Void
    ) throws(ConfigurationError) {
        let hasDefault = FileManager.default.fileExists(atPath: surroundings.defaultFile)
        let path = file ?? (hasDefault ? surroundings.defaultFile : nil)
        self.file = path.map(surroundings.absolute)
        let fileLayer = path.map { ConfigurationFile.layer(path: $0, checkingURL: checkingURL) }
        let given =
            (fileLayer.map { [$0] } ?? []) + [
                ConfigurationLayer.environment(surroundings, checkingURL: checkingURL),
                ConfigurationLayer.flags(flags, surroundings, checkingURL: checkingURL),
            ]
        let layers = [ConfigurationLayer.defaults(surroundings, given: given)] + given
        let problems = (given + layers.prefix(1)).flatMap(\.problems)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }

        let witness = AccessWitness()
        let providers = layers.map(\.provider)
        let configuration = DaemonConfiguration(
            ConfigReader(providers: providers.reversed(), accessReporter: witness))
        self.configuration = configuration
        let answering = witness.answering
        let settings = ConfigurationKey.allCases.compactMap { key in
            let layer = zip(providers, layers).first { $0.0.providerName == answering[key.rawValue] }?.1
            return layer?.values[key].map { value in
                switch value {
                case .text(let piece): Setting(key: key.rawValue, values: [piece.text], origin: piece.origin)
                case .list(let pieces, let origin):
                    Setting(key: key.rawValue, values: pieces.map(\.text), origin: origin)
                }
            }
        }
        self.settings = settings
        guard let refusal = configuration.web?.refusal else { return }
        let key = ConfigurationKey.webListen.rawValue
        let origin = settings.first { $0.key == key }?.origin ?? ConfigurationLayer.byDefault
        throw ConfigurationError(problems: [.init(origin: origin, key: key, reason: refusal)])
    }

    /// Whether the store is where it is by default.
    var isStoreByDefault: Bool {
        settings.contains { $0.key == ConfigurationKey.store.rawValue && $0.origin == ConfigurationLayer.byDefault }
    }

    /// Every key with its value and where that came from, one a line; an element of a list each on its own.
    public var description: String {
        let rows = settings.flatMap { setting in
            (setting.values.isEmpty ? ["none"] : setting.values).map { (setting.key, $0, setting.origin) }
        }
        let keys = rows.map(\.0.count).max() ?? 0
        let values = rows.map(\.1.count).max() ?? 0
        return rows.map { key, value, origin in
            "\(Self.padded(key, keys))  \(Self.padded(value, values))  \(origin)"
        }
        .joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// Notes which layer answered for each key.
private final class AccessWitness: AccessReporter {
    private let names = Mutex<[String: String]>([:])

    var answering: [String: String] { names.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let answer = event.providerResults.first { (try? $0.result.get().value) != nil }
        let key = event.metadata.key.description
        names.withLock { $0[key] = answer?.providerName }
    }
}
