internal import Configuration
import Geodesy
public import Logging
public import MQTT
public import People
import Positioning
public import Service
import TextCoding
public import Tracking

#if Companion
public import EventHooks
public import Photos
public import Uplink
import WebClient
public import WebPush
public import WebServer
#endif

/// The settings of the daemon, combined from defaults, file, environment and flags.
public struct DaemonConfiguration: Hashable, Sendable {
    /// A receiver to read.
    public struct Source: Hashable, Sendable {
        /// The name of the device: 1 to 64 ASCII letters, digits, `.`, `-`, `_`.
        public var name: String
        /// The URL of the receiver.
        public var url: String

        /// The longest name, in bytes; each line of an event stream and each trip id contains it.
        public static let longestName = 64

        /// Creates a source from its name and URL.
        public init(name: String, url: String) {
            self.name = name
            self.url = url
        }

        /// Parses `NAME=URL`; `nil` if the name is invalid or the URL is missing.
        public init?(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, ValueForm.isName(parts[0], longest: Self.longestName), !parts[1].isEmpty else {
                return nil
            }
            self.init(name: String(parts[0]), url: String(parts[1]))
        }
    }

    /// The path of the store.
    public var store: String
    /// The path of the socket.
    public var socket: String
    /// The receivers, in the given order; their names are unique.
    public var sources: [Source]
    /// The group whose members may change things through the socket.
    public var adminGroup: String
    /// The least severe level that is logged.
    public var logLevel: Logger.Level
    /// The settings that determine events and trips.
    public var tracking: TrackingPolicy
    /// The longest time, in seconds, that points wait for a commit.
    public var commitInterval: Double
    /// The number of points that causes a commit.
    public var commitPoints: Int
    /// The number of days for which events are kept; `nil` for ever.
    public var retainedEventDays: Int?
    /// The number of days for which traces are kept; `nil` for ever.
    public var retainedTraceDays: Int?
    /// The settings of accounts and their mail.
    public var accounts: AccountSettings
    /// The limits of what one person may send to others within an hour.
    public var limits: SendingLimits
    #if Companion
    /// The settings of photos.
    public var media = MediaSettings()
    /// The command that receives each notification as a line of JSON on its standard input; `nil` for none.
    public var notificationHook: String?
    /// The settings of notifications in browsers.
    public var push = PushSettings()
    /// The hooks for events, in the given order; their names are unique.
    public var eventHooks: [EventHookSettings] = []
    /// The centre to which this machine sends its events; `nil` for none.
    public var uplink: UplinkSettings?
    /// The settings of the web server; `nil` for none.
    public var web: WebSettings?
    #endif
    /// The reason why the settings of the MQTT broker, or of what goes over it, are refused, with its key; `nil` if they
    /// are valid.
    var brokerRefusal: SettingRefusal?
    /// The settings of the MQTT broker; `nil` for none.
    public var mqtt: MQTTSettings?

    /// A setting that is refused, and why.
    struct SettingRefusal: Hashable, Sendable {
        var key: String
        var reason: String
    }

    /// The setting that is refused, and why; `nil` if all are valid.
    var refusal: SettingRefusal? {
        #if Companion
        if let reason = web?.refusal { return SettingRefusal(key: ConfigurationKey.webListen.rawValue, reason: reason) }
        #endif
        return brokerRefusal
    }

    /// Reads checked values; each key has one.
    init(_ reader: ConfigReader) {
        func text(_ key: ConfigurationKey) -> String { reader.string(forKey: key.path, default: "") }
        // A word in place of a number means none.
        func number(_ key: ConfigurationKey) -> Double? { DecimalText.parse(text(key)) }
        store = text(.store)
        socket = text(.socket)
        sources = reader.stringArray(forKey: ConfigurationKey.sources.path, default: []).compactMap(Source.init)
        adminGroup = text(.adminGroup)
        logLevel = Logger.Level(rawValue: text(.logLevel)) ?? .info
        tracking = TrackingPolicy()
        tracking.gate.isOff = text(.gate) == "off"
        tracking.exitMargin = number(.exitMargin).map(Distance.meters)
        tracking.dwell = number(.dwell) ?? tracking.dwell
        tracking.stopAfter = number(.stopAfter) ?? tracking.stopAfter
        tracking.stopRadius = number(.stopRadius).map(Distance.meters) ?? tracking.stopRadius
        tracking.tripEndAfter = number(.tripEndAfter) ?? tracking.tripEndAfter
        tracking.lookahead = text(.approach) == "on" ? Lookahead() : nil
        tracking.speedLimit = number(.speedLimit).map(Speed.kilometersPerHour)
        commitInterval = number(.commitInterval) ?? CommitPolicy().interval
        commitPoints = Int(text(.commitPoints)) ?? CommitPolicy().points
        retainedEventDays = Int(text(.retainedEvents))
        retainedTraceDays = Int(text(.retainedTraces))
        accounts = AccountSettings()
        func choice(_ key: ConfigurationKey) -> String? { text(key).isEmpty ? nil : text(key) }
        accounts.mailCommand = choice(.mailCommand)
        accounts.mailFile = choice(.mailFile)
        accounts.mailSender = choice(.mailSender) ?? accounts.mailSender
        accounts.support = choice(.support)
        accounts.invitation = choice(.invitation)
        limits = SendingLimits()
        limits.posts = Int(text(.posts)) ?? limits.posts
        limits.reviews = Int(text(.reviews)) ?? limits.reviews
        limits.suggestions = Int(text(.suggestions)) ?? limits.suggestions
        limits.requests = Int(text(.requests)) ?? limits.requests
        #if Companion
        media.storage = Int(text(.storage)).map { $0 * 1_000_000 } ?? media.storage
        notificationHook = choice(.notificationHook)
        push = PushSettings(PushSettings.Reach(rawValue: text(.push)) ?? .on, support: accounts.support)
        eventHooks = reader.stringArray(forKey: ConfigurationKey.eventHooks.path, default: []).compactMap {
            try? EventHookSettings($0)
        }
        let (secret, authority) = (text(.uplinkSecret), choice(.uplinkAuthority))
        uplink = (try? WebURL(text(.uplinkURL))).map { url in
            UplinkSettings(url: url, secret: SecretFile(secret), authority: authority)
        }
        let isOverBroker = text(.uplinkMQTT) == "on"
        // All values are read, even without a web server, so that the listing knows the origin of each.
        let (certificate, key, pages) = (choice(.webCertificate), choice(.webKey), choice(.webPages))
        let (hosts, showsMetrics) = (ValueForm.hosts(text(.webHosts)), text(.webMetrics) == "on")
        let allowsPlainPhones = text(.webPhones) == "plain"
        let (tiles, provider, attribution) = (choice(.mapTiles), choice(.mapProvider), choice(.mapAttribution))
        web = WebAddress(text(.webListen)).map { address in
            var web = WebSettings(listen: address)
            web.certificate = certificate
            web.key = key
            web.hosts = hosts
            web.pages = pages
            web.showsMetrics = showsMetrics
            web.allowsPlainPhones = allowsPlainPhones
            web.tiles = tiles
            web.provider = provider
            web.attribution = attribution
            return web
        }
        #endif
        readBroker(text)
        #if Companion
        if isOverBroker { useBroker(SecretFile(secret)) }
        #endif
    }

    /// Returns the configuration that a running daemon can apply, and the keys that take effect after a restart.
    ///
    /// The values of those keys are those of the running daemon.
    public func takenOver(from running: DaemonConfiguration) -> (configuration: DaemonConfiguration, waiting: [String])
    {
        var result = self
        var waiting: [String] = []
        func keep<Value: Equatable>(_ key: ConfigurationKey, _ value: WritableKeyPath<DaemonConfiguration, Value>) {
            guard self[keyPath: value] != running[keyPath: value] else { return }
            result[keyPath: value] = running[keyPath: value]
            waiting.append(key.rawValue)
        }
        keep(.store, \.store)
        keep(.socket, \.socket)
        keep(.adminGroup, \.adminGroup)
        keep(.mailCommand, \.accounts.mailCommand)
        keep(.mailFile, \.accounts.mailFile)
        keep(.mailSender, \.accounts.mailSender)
        keep(.support, \.accounts.support)
        keep(.invitation, \.accounts.invitation)
        #if Companion
        keep(.storage, \.media.storage)
        keep(.notificationHook, \.notificationHook)
        result.push = running.push
        if push.reach != running.push.reach { waiting.append(ConfigurationKey.push.rawValue) }
        keep(.eventHooks, \.eventHooks)
        result.uplink = running.uplink
        if uplink?.isOverBroker ?? false != running.uplink?.isOverBroker ?? false {
            waiting.append(ConfigurationKey.uplinkMQTT.rawValue)
        }
        if uplink?.url != running.uplink?.url { waiting.append(ConfigurationKey.uplinkURL.rawValue) }
        if let uplink, let kept = running.uplink {
            if uplink.secret != kept.secret { waiting.append(ConfigurationKey.uplinkSecret.rawValue) }
            if uplink.authority != kept.authority { waiting.append(ConfigurationKey.uplinkAuthority.rawValue) }
        }
        keep(.posts, \.limits.posts)
        keep(.reviews, \.limits.reviews)
        keep(.suggestions, \.limits.suggestions)
        keep(.requests, \.limits.requests)
        keepWeb(of: running, &result, &waiting)
        #endif
        result.keepBroker(of: running, &waiting)
        return (result, waiting)
    }

    #if Companion
    /// Keeps the running daemon's settings of the web server, and adds the keys that differ.
    ///
    /// If only one of the two has a web server, that key is `web.listen`.
    private func keepWeb(
        of running: DaemonConfiguration, _ result: inout DaemonConfiguration, _ waiting: inout [String]
    ) {
        result.web = running.web
        guard let web, let kept = running.web else {
            if web != running.web { waiting.append(ConfigurationKey.webListen.rawValue) }
            return
        }
        let changes: [(ConfigurationKey, Bool)] = [
            (.webListen, web.listen != kept.listen), (.webCertificate, web.certificate != kept.certificate),
            (.webKey, web.key != kept.key), (.webHosts, web.hosts != kept.hosts),
            (.webPages, web.pages != kept.pages),
            (.webMetrics, web.showsMetrics != kept.showsMetrics),
            (.webPhones, web.allowsPlainPhones != kept.allowsPlainPhones), (.mapTiles, web.tiles != kept.tiles),
            (.mapProvider, web.provider != kept.provider), (.mapAttribution, web.attribution != kept.attribution),
        ]
        for (key, isChanged) in changes where isChanged { waiting.append(key.rawValue) }
    }
    #endif
}
