internal import Configuration
import Geodesy
import Logging
import People
import Positioning
import Service
import TextCoding
import Tracking

#if Companion
import Photos
#endif

/// The keys of the configuration, by their names in the file.
///
/// This is the one table for the file, the environment, the defaults and the listing. A name with a dot is a key of a
/// group: `tracking.dwell` is written as `dwell:` below `tracking:` in the file.
enum ConfigurationKey: String, CaseIterable, Hashable, Sendable {
    case store
    case socket
    case sources
    case adminGroup = "admin-group"
    case logLevel = "log-level"
    case gate = "tracking.gate"
    case exitMargin = "tracking.exit-margin"
    case dwell = "tracking.dwell"
    case stopAfter = "tracking.stop-after"
    case stopRadius = "tracking.stop-radius"
    case tripEndAfter = "tracking.trip-end-after"
    case approach = "tracking.approach"
    case speedLimit = "tracking.speed-limit"
    case commitInterval = "commit.interval"
    case commitPoints = "commit.points"
    case retainedEvents = "retention.events"
    case retainedTraces = "retention.traces"
    case mailCommand = "mail.command"
    case mailFile = "mail.file"
    case mailSender = "mail.sender"
    case support = "people.support"
    case invitation = "people.invitation"
    case storage = "people.storage"
    case notificationHook = "notifications.hook"
    case push = "notifications.push"
    case eventHooks = "events.hook"
    case uplinkURL = "uplink.url"
    case uplinkSecret = "uplink.secret"
    case uplinkAuthority = "uplink.authority"
    case uplinkMQTT = "uplink.mqtt"
    case posts = "limits.posts"
    case reviews = "limits.reviews"
    case suggestions = "limits.suggestions"
    case requests = "limits.requests"
    case webListen = "web.listen"
    case webCertificate = "web.certificate"
    case webKey = "web.key"
    case webHosts = "web.hosts"
    case webPages = "web.pages"
    case webMetrics = "web.metrics"
    case webPhones = "web.phones"
    case mapTiles = "map.tiles"
    case mapProvider = "map.provider"
    case mapAttribution = "map.attribution"
    case mqttURL = "mqtt.url"
    case mqttUser = "mqtt.user"
    case mqttPasswordFile = "mqtt.password-file"
    case mqttAuthority = "mqtt.ca"
    case mqttFingerprint = "mqtt.fingerprint"
    case mqttTopic = "mqtt.topic"
    case mqttHomeAssistant = "mqtt.homeassistant"
    case mqttAccess = "mqtt.access"
    case mqttEvents = "mqtt.events"
    case mqttInterval = "mqtt.interval"
    case mqttDistance = "mqtt.distance"
    case mqttPhones = "mqtt.phones"
    case mqttBoards = "mqtt.boards"

    #if Companion
    /// The groups of the file.
    static let groups = Set(allCases.compactMap { key in key.group })
    #else
    /// The keys that the engine has; it refuses the others by their names.
    static let allCases: [ConfigurationKey] = [
        .store, .socket, .sources, .adminGroup, .logLevel, .gate, .exitMargin, .dwell, .stopAfter, .stopRadius,
        .tripEndAfter, .approach, .speedLimit, .commitInterval, .commitPoints, .retainedEvents, .retainedTraces,
        .mqttURL, .mqttUser, .mqttPasswordFile, .mqttAuthority, .mqttFingerprint, .mqttTopic, .mqttHomeAssistant,
        .mqttAccess, .mqttEvents, .mqttInterval, .mqttDistance, .mqttPhones,
    ]

    /// The groups of the file, also those of the companion.
    static let groups = Set(allCases.compactMap { key in key.group }).union([
        "mail", "people", "notifications", "events", "uplink", "limits", "web", "map",
    ])
    #endif

    /// The group of the key; `nil` for a key of the top level.
    var group: String? { rawValue.split(separator: ".").dropLast().first.map(String.init) }

    /// The environment variable that sets the key, such as `WAYMARK_TRACKING_STOP_AFTER`.
    var environmentVariable: String {
        Self.environmentPrefix
            + String(rawValue.uppercased().map { character in "-.".contains(character) ? "_" : character })
    }

    /// The variables for commands that call a daemon; the daemon itself ignores them.
    static let variablesOfCommands: Set = ["WAYMARK_SESSION"]

    /// The prefix of all environment variables.
    static let environmentPrefix = "WAYMARK_"

    /// The key in the form of the configuration library.
    var path: ConfigKey { ConfigKey(rawValue) }

    /// The form of the key's value.
    var form: ValueForm {
        switch self {
        case .store: .path(longest: Self.longestStorePath)
        case .socket: .path(longest: Self.longestSocketPath)
        case .sources: .sources
        case .eventHooks: .hooks
        case .adminGroup: .groupName
        case .logLevel: .word(LogOutput.levels.map(\.rawValue))
        case .gate, .approach, .webMetrics, .uplinkMQTT: .word(["on", "off"])
        case .webPhones: .word(["tls", "plain"])
        case .push: .word(["on", "off", "private"])
        case .webListen: .listening
        case .webHosts: .hosts
        case .webCertificate, .webKey, .webPages, .mapTiles, .uplinkAuthority, .mqttPasswordFile, .mqttAuthority:
            .path(longest: Self.longestStorePath, isOptional: true)
        case .uplinkURL: .centre
        case .uplinkSecret: .text(longest: Self.longestStorePath)
        case .mqttAccess: .word(["anyone", "admin"])
        case .mqttInterval: .number(1...Self.greatestTime, unit: "seconds")
        case .mqttDistance: .number(0...Self.greatestDistance, unit: "metres")
        case .exitMargin: .number(0...Self.greatestDistance, unit: "metres", or: "auto")
        case .dwell: .number(0...Self.greatestTime, unit: "seconds")
        case .stopAfter, .tripEndAfter: .number(1...Self.greatestTime, unit: "seconds")
        case .stopRadius: .number(1...Self.greatestDistance, unit: "metres")
        case .speedLimit: .number(1...Self.greatestSpeed, unit: "km/h", or: "off")
        case .commitInterval: .number(1...Self.greatestCommitInterval, unit: "seconds")
        case .commitPoints: .count(1...Self.greatestCommitPoints, unit: "points")
        case .retainedEvents, .retainedTraces: .count(1...Self.greatestRetention, unit: "days", or: "off")
        case .mailCommand, .notificationHook: .text(longest: Self.longestCommand)
        case .storage: .count(1...Self.greatestStorage, unit: "megabytes")
        case .posts, .reviews, .suggestions, .requests: .count(1...Self.greatestLimit, unit: "items an hour")
        case .mailFile: .text(longest: Self.longestStorePath)
        case .mailSender, .support, .invitation, .mapProvider, .mapAttribution, .mqttURL, .mqttUser, .mqttFingerprint,
            .mqttTopic, .mqttHomeAssistant, .mqttEvents, .mqttPhones, .mqttBoards:
            .text(longest: Self.longestLine)
        }
    }

    /// The default value, as it would be written in the file; `nil` if it depends on the context.
    var defaultText: String? {
        let policy = TrackingPolicy()
        return switch self {
        case .store, .socket: nil
        case .sources, .eventHooks: ""
        case .adminGroup: "waymark-admin"
        case .logLevel: "info"
        case .gate: policy.gate.isOff ? "off" : "on"
        case .exitMargin: policy.exitMargin.map { DecimalText.string($0.meters, decimals: 3) } ?? "auto"
        case .dwell: DecimalText.string(policy.dwell, decimals: 3)
        case .stopAfter: DecimalText.string(policy.stopAfter, decimals: 3)
        case .stopRadius: DecimalText.string(policy.stopRadius.meters, decimals: 3)
        case .tripEndAfter: DecimalText.string(policy.tripEndAfter, decimals: 3)
        case .approach, .speedLimit, .webListen, .webMetrics: "off"
        case .webPhones: "tls"
        case .push: "on"
        case .commitInterval: DecimalText.string(CommitPolicy().interval, decimals: 3)
        case .commitPoints: "\(CommitPolicy().points)"
        case .retainedEvents, .retainedTraces: "off"
        case .mailCommand, .mailFile, .support, .invitation, .notificationHook, .webCertificate, .webKey, .webHosts,
            .webPages, .mapTiles, .mapProvider, .mapAttribution, .uplinkURL, .uplinkAuthority, .mqttURL, .mqttUser,
            .mqttPasswordFile, .mqttAuthority, .mqttFingerprint, .mqttTopic, .mqttPhones, .mqttBoards:
            ""
        case .uplinkSecret: "uplink"
        case .uplinkMQTT: "off"
        case .mqttHomeAssistant: "homeassistant"
        case .mqttAccess: "anyone"
        case .mqttEvents: "geofence.* trip.* stop.* source.*"
        case .mqttInterval: "10"
        case .mqttDistance: "25"
        case .mailSender: AccountSettings().mailSender
        #if Companion
        case .storage: "\(MediaSettings().storage / 1_000_000)"
        #else
        case .storage: nil
        #endif
        case .posts: "\(SendingLimits().posts)"
        case .reviews: "\(SendingLimits().reviews)"
        case .suggestions: "\(SendingLimits().suggestions)"
        case .requests: "\(SendingLimits().requests)"
        }
    }

    /// The longest command, a path and a few options, in bytes.
    static let longestCommand = 4_000
    /// The longest line that becomes part of a mail, in bytes (RFC 5322, section 2.1.1, allows at most 998).
    static let longestLine = 500
    /// The longest path, in bytes: the system allows 4,095 (`PATH_MAX`), and SQLite appends suffixes to the store's.
    static let longestStorePath = 4_000
    /// The longest path of a socket, in bytes: `sun_path` has 108 bytes, the last of them zero (unix(7)).
    static let longestSocketPath = 107
    /// The longest time, in seconds: a week.
    ///
    /// Dwells, stops and ends of trips are not meant for longer stays.
    static let greatestTime = 604_800.0
    /// The greatest distance, in metres: a hundred kilometres.
    ///
    /// A margin or a place to rest is smaller.
    static let greatestDistance = 100_000.0
    /// The greatest limit of speed, in km/h: an airliner is slower.
    static let greatestSpeed = 1_080.0
    /// The longest interval between commits, in seconds: an hour, the most that a power cut may cost.
    static let greatestCommitInterval = 3_600.0
    /// The most storage for the photos of one person, in megabytes: a terabyte.
    static let greatestStorage = 1_000_000
    /// The most messages of one person within an hour: one every 36 ms, in effect no limit.
    static let greatestLimit = 100_000
    /// The most points between commits, which equals the most that wait for a failing store.
    static let greatestCommitPoints = 100_000
    /// The longest retention, in days: a century.
    static let greatestRetention = 36_500
}
