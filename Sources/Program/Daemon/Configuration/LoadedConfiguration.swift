internal import Configuration
import Foundation
import Synchronization

#if Companion
import EventHooks
import WebServer
#endif

/// A configuration together with the origin of each value.
public struct LoadedConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// A key with its value.
    public struct Setting: Hashable, Sendable {
        /// The key's name in the file, preceded by its group: `tracking.dwell`.
        public let key: String
        /// The value as it was written; for a list, its elements.
        public let values: [String]
        /// The origin of the value: `default`, `FILE:LINE`, `environment variable NAME`, or the flag.
        public let origin: String
    }

    /// The configuration.
    public let configuration: DaemonConfiguration
    /// The absolute path of the file that was read; `nil` if there was none.
    public let file: String?
    /// All keys, in the order of the documentation.
    public let settings: [Setting]

    /// Reads the configuration; flags override the environment, which overrides the file, which overrides the defaults.
    ///
    /// Each key is overridden separately. The file is YAML; see the sample that is installed with the unit. A variable
    /// is named `WAYMARK_` and the key in capitals, with `_` in place of `.` and `-`. In `WAYMARK_SOURCES`, the sources
    /// are separated by commas or spaces.
    ///
    /// - Parameters:
    ///   - file: The file to read, which must exist; `nil` for the default file, if it exists.
    ///   - flags: The flags of the command line.
    ///   - context: The environment and similar inputs.
    ///   - checkingURL: Throws if the URL of a source is invalid, with the reason in the error's description.
    /// - Throws: ``ConfigurationError`` with all problems, including those in values that are overridden.
    public init(
        file: String?, flags: DaemonFlags, context: ConfigurationContext,
        checkingURL: @escaping (String) throws -> Void
    ) throws(ConfigurationError) {
        let hasDefault = FileManager.default.fileExists(atPath: context.defaultFile)
        let path = file ?? (hasDefault ? context.defaultFile : nil)
        self.file = path.map(context.absolute)
        let fileLayer = path.map { ConfigurationFile.layer(path: $0, checkingURL: checkingURL) }
        let given =
            (fileLayer.map { [$0] } ?? []) + [
                ConfigurationLayer.environment(context, checkingURL: checkingURL),
                ConfigurationLayer.flags(flags, context, checkingURL: checkingURL),
            ]
        let layers = [ConfigurationLayer.defaults(context, given: given)] + given
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
                    Setting(key: key.rawValue, values: pieces.map { Self.shown($0.text, of: key) }, origin: origin)
                }
            }
        }
        self.settings = settings
        guard let refusal = configuration.refusal else { return }
        let (key, reason) = (refusal.key, refusal.reason)
        let origin = settings.first { $0.key == key }?.origin ?? ConfigurationLayer.byDefault
        throw ConfigurationError(problems: [.init(origin: origin, key: key, reason: reason)])
    }

    /// Returns an element of a list as people may read it: a hook without its secret.
    private static func shown(_ text: String, of key: ConfigurationKey) -> String {
        #if Companion
        if key == .eventHooks { return EventHookSettings.shown(text) }
        #endif
        return text
    }

    /// Whether the store is at its default path.
    var isStoreByDefault: Bool {
        settings.contains { $0.key == ConfigurationKey.store.rawValue && $0.origin == ConfigurationLayer.byDefault }
    }

    /// All keys with their values and origins, one per line; each element of a list has its own line.
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

/// A recorder of the layer that answered for each key.
private final class AccessWitness: AccessReporter {
    private let names = Mutex<[String: String]>([:])

    var answering: [String: String] { names.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let answer = event.providerResults.first { (try? $0.result.get().value) != nil }
        let key = event.metadata.key.description
        names.withLock { $0[key] = answer?.providerName }
    }
}
