#if Companion
import Foundation
import Geodesy
import Logging
import Positioning
import TestSupport
import Testing
import Tracking
import Uplink
import WebClient
import WebServer

@testable import Daemon

@Suite struct DaemonConfigurationTests {
    private var setting: ConfigurationSetting

    init() throws { setting = try ConfigurationSetting() }

    @Test(arguments: ["", "\n", "# nothing\n", "tracking:\ncommit: ~\nsources:\n", "{}", "\u{FEFF}", "---\n"])
    func anEmptyFileLeavesTheDefaults(text: String) throws {
        let loaded = try setting.load(text)
        #expect(try loaded.configuration == setting.load().configuration)
        let configuration = loaded.configuration
        #expect(configuration.store == "/home/jo/.local/state/waymark/waymark.sqlite")
        #expect(configuration.socket == "/run/user/7/waymark.sock")
        #expect(configuration.sources.isEmpty)
        #expect(configuration.adminGroup == "waymark-admin")
        #expect(configuration.logLevel == .info)
        #expect(configuration.tracking == TrackingPolicy())
        #expect(configuration.commitInterval == 45)
        #expect(configuration.commitPoints == 500)
        #expect(configuration.retainedEventDays == nil)
        #expect(configuration.retainedTraceDays == nil)
    }

    @Test func everyKeyOfTheFileIsRead() throws {
        let configuration = try setting.load(
            """
            store: /srv/w.sqlite
            socket: "/srv/w.sock"
            sources:
              - gps0=gpsd://localhost:2947
              - van-1.b_c=nmea:/dev/ttyACM0?baud=4800&x=y
            admin-group: staff
            log-level: debug
            tracking:
              {gate: off, exit-margin: 12.5, dwell: 0, stop-after: 1e2, stop-radius: 40, trip-end-after: 600,
              approach: on, speed-limit: 90}
            commit:
              interval: 5
              points: 20
            retention:
              events: 30
              traces: off
            """
        ).configuration
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        policy.exitMargin = .meters(12.5)
        policy.dwell = 0
        policy.stopAfter = 100
        policy.stopRadius = .meters(40)
        policy.tripEndAfter = 600
        policy.lookahead = Lookahead()
        policy.speedLimit = .kilometersPerHour(90)
        #expect(configuration.store == "/srv/w.sqlite")
        #expect(configuration.socket == "/srv/w.sock")
        #expect(
            configuration.sources == [
                DaemonConfiguration.Source(name: "gps0", url: "gpsd://localhost:2947"),
                DaemonConfiguration.Source(name: "van-1.b_c", url: "nmea:/dev/ttyACM0?baud=4800&x=y"),
            ])
        #expect(configuration.adminGroup == "staff")
        #expect(configuration.logLevel == .debug)
        #expect(configuration.tracking == policy)
        #expect(configuration.commitInterval == 5)
        #expect(configuration.commitPoints == 20)
        #expect(configuration.retainedEventDays == 30)
        #expect(configuration.retainedTraceDays == nil)
    }

    @Test func flagsOverrideTheEnvironmentAndThatTheFileKeyByKey() throws {
        var setting = setting
        let text = "store: /file\nsocket: /file\nsources: [file=a:b]\ntracking:\n  dwell: 1\n  stop-after: 1\n"
        setting.context.environment["WAYMARK_SOCKET"] = "/environment"
        setting.context.environment["WAYMARK_STORE"] = "/environment"
        setting.context.environment["WAYMARK_SOURCES"] = " one=a:1, two=a:2\tthree=a:3 "
        setting.context.environment["WAYMARK_TRACKING_STOP_AFTER"] = "2"
        let file = setting.folder.file("w.yaml")

        let loaded = try setting.load(text, flags: DaemonFlags(store: "flag.sqlite"))
        #expect(loaded.file == file)
        #expect(loaded.configuration.store == "/srv/here/flag.sqlite")
        #expect(loaded.configuration.socket == "/environment")
        #expect(loaded.configuration.sources.map(\.name) == ["one", "two", "three"])
        #expect(loaded.configuration.tracking.stopAfter == 2)
        #expect(loaded.configuration.tracking.dwell == 1)

        let origins = Dictionary(uniqueKeysWithValues: loaded.settings.map { ($0.key, $0.origin) })
        #expect(origins["store"] == "--store")
        #expect(origins["socket"] == "environment variable WAYMARK_SOCKET")
        #expect(origins["sources"] == "environment variable WAYMARK_SOURCES")
        #expect(origins["tracking.dwell"] == "\(file):5")
        #expect(origins["commit.points"] == "default")
        #expect(loaded.settings.map(\.key) == ConfigurationKey.allCases.map(\.rawValue))

        let flags = DaemonFlags(sources: ["four=a:4"], socket: "/flag")
        #expect(try setting.load(text, flags: flags).configuration.sources.map(\.name) == ["four"])
        #expect(try setting.load(text, flags: flags).configuration.socket == "/flag")
    }

    @Test func theWebServerIsOffUntilItHasAnAddress() throws {
        #expect(try setting.load().configuration.web == nil)
        #expect(try setting.load("web:\n  hosts: van\n").configuration.web == nil)
        let text = "web: {listen: 192.168.4.1, hosts: 'van, waymark.example.org', metrics: on, pages: /srv/pages}"
        let web = try #require(try setting.load(text).configuration.web)
        #expect(web.listen.description == "192.168.4.1:8470")
        #expect(web.hosts == ["van", "waymark.example.org"])
        #expect(web.showsMetrics)
        #expect(web.pages == "/srv/pages")
        #expect(try setting.load(text, flags: DaemonFlags(web: "[::1]:1")).configuration.web?.listen.port == 1)
    }

    @Test(arguments: [
        ("web:\n  listen: everywhere\n", "w.yaml:2: web.listen: \"everywhere\" is not ADDRESS"),
        ("web:\n  listen: 93.184.216.34\n", "w.yaml:2: web.listen: 93.184.216.34:8470 can be reached"),
        ("web:\n  listen: 127.0.0.1\n  key: /k\n", "w.yaml:2: web.listen: web.certificate and web.key belong together"),
        ("web:\n  hosts: http://van\n", "w.yaml:2: web.hosts: \"http://van\" is not a list of host names"),
    ])
    func anUnsafeWebConfigurationIsRefused(text: String, start: String) throws {
        let problems = try setting.problems(text)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(start) == true, "\(problems)")
    }

    @Test func theListingHasEachKeyWithItsValueAndOrigin() throws {
        let lines = try setting.load("sources: [a=x:1, b=x:2]\n").description.split(separator: "\n")
        #expect(lines.count == ConfigurationKey.allCases.count + 1)
        #expect(lines[2...3].allSatisfy { $0.hasPrefix("sources") && $0.hasSuffix("/w.yaml:1") })
        #expect(lines[2].contains(" a=x:1 ") && lines[3].contains(" b=x:2 "))
        #expect(lines.contains { $0.split(separator: " ") == ["tracking.exit-margin", "auto", "default"] })
        #expect(try setting.load().description.contains("none "))
    }

    @Test(arguments: [
        (["STATE_DIRECTORY": "/var/lib/waymark:/var/lib/b", "HOME": "/h"], "/var/lib/waymark/waymark.sqlite"),
        (["XDG_STATE_HOME": "/h/state", "HOME": "/h"], "/h/state/waymark/waymark.sqlite"),
        (["XDG_STATE_HOME": "state", "HOME": "/h"], "/h/.local/state/waymark/waymark.sqlite"),
        (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/waymark/waymark.sqlite"),
    ])
    func theDefaultStoreIsInTheStateFolderOfTheUnitOrTheUser(environment: [String: String], store: String) throws {
        var setting = setting
        setting.context.environment = environment
        setting.context.isRoot = true
        #expect(try setting.load().configuration.store == store)
    }

    @Test(arguments: [
        (["RUNTIME_DIRECTORY": "/run/w:/run/v", "XDG_RUNTIME_DIR": "/x"], false, false, "/run/w/waymark.sock"),
        (["XDG_RUNTIME_DIR": "/x"], true, false, "/x/waymark.sock"),
        ([:], true, false, "/run/waymark/waymark.sock"),
        ([:], false, true, "/run/waymark/waymark.sock"),
    ])
    func theDefaultSocketIsInTheRuntimeFolderOfTheUnitOrTheUser(
        environment: [String: String], isRoot: Bool, isGiven: Bool, socket: String
    ) throws {
        var setting = setting
        setting.context.environment = environment.merging(["HOME": "/h"]) { $1 }
        setting.context.isRoot = isRoot
        setting.context.isSocketGiven = isGiven
        #expect(try setting.load().configuration.socket == socket)
    }

    @Test func aMissingDefaultForStoreAndSocketIsReportedWithARemedy() throws {
        var setting = setting
        setting.context.environment = [:]
        let problems = try setting.problems("")
        #expect(
            problems == [
                "default: store: there is no default path for it; set store in the file, WAYMARK_STORE, --store or HOME",
                "default: socket: there is no default path for it; set socket in the file, WAYMARK_SOCKET, --socket or "
                    + "XDG_RUNTIME_DIR",
            ])
        #expect(try setting.problems("store: /a\n", flags: DaemonFlags(socket: "s")).isEmpty)
    }

    @Test func theDefaultFileIsOptionalAndANamedFileMustExist() throws {
        var setting = setting
        #expect(try setting.load().file == nil)
        setting.context.defaultFile = try setting.folder.file("default.yaml", "admin-group: staff\n")
        #expect(try setting.load().configuration.adminGroup == "staff")
        #expect(try setting.load("").configuration.adminGroup == "waymark-admin")
        let gone = setting.folder.file("gone.yaml")
        let context = setting.context
        let error = #expect(throws: ConfigurationError.self) {
            try LoadedConfiguration(file: gone, flags: DaemonFlags(), context: context, checkingURL: { _ in })
        }
        #expect(error?.description == "\(gone): there is no such file")
    }

    @Test func onlySomeSettingsNeedARestart() throws {
        let old = try setting.load().configuration
        #expect(old.takenOver(from: old) == (old, []))
        let other = try setting.load(
            """
            sources: [a=b:c]
            log-level: trace
            tracking: {gate: off, exit-margin: 1, dwell: 1, stop-after: 1, stop-radius: 1, trip-end-after: 1}
            commit: {interval: 1, points: 1}
            retention: {events: 1, traces: 1}
            """
        ).configuration
        #expect(other.takenOver(from: old) == (other, []))
        let moved = try setting.load(
            """
            store: /a
            socket: /b
            admin-group: c
            log-level: trace
            mail: {command: d, file: e, sender: f}
            people: {support: g, invitation: h, storage: 3}
            notifications: {hook: i, push: private}
            events: {hook: [{command: j}]}
            limits: {posts: 1, reviews: 2, suggestions: 3, requests: 4}
            """
        ).configuration
        let taken = moved.takenOver(from: old)
        #expect(
            taken.waiting == [
                "store", "socket", "admin-group", "mail.command", "mail.file", "mail.sender", "people.support",
                "people.invitation", "people.storage", "notifications.hook", "notifications.push", "events.hook",
                "limits.posts", "limits.reviews",
                "limits.suggestions", "limits.requests",
            ])
        var rest = old
        rest.logLevel = .trace
        #expect(taken.configuration == rest)
    }

    @Test(arguments: [
        ("web: {}", ["web.listen"]), ("web: {listen: 127.0.0.1:1}", []),
        ("web: {listen: 127.0.0.1:2}", ["web.listen"]),
        ("web: {listen: 127.0.0.1:1, certificate: /c, key: /k}", ["web.certificate", "web.key"]),
        ("web: {listen: 127.0.0.1:1, hosts: a.example}", ["web.hosts"]),
        ("web: {listen: 127.0.0.1:1, pages: /p, metrics: on}", ["web.pages", "web.metrics"]),
        ("web: {listen: 127.0.0.1:1, phones: plain}", ["web.phones"]),
        (
            "web: {listen: 127.0.0.1:1}\nmap: {tiles: /t, provider: 'https://a.example/{z}/{x}/{y}', attribution: b}",
            ["map.tiles", "map.provider", "map.attribution"]
        ),
    ])
    func theKeysOfTheWebServerThatNeedARestartAreNamed(_ text: String, _ keys: [String]) throws {
        let running = try setting.load("web: {listen: 127.0.0.1:1}").configuration
        let taken = try setting.load(text).configuration.takenOver(from: running)
        #expect(taken.waiting == keys)
        #expect(taken.configuration == running)
    }

    @Test(arguments: [
        ("{}", ["mqtt.url"]), ("mqtt: {url: off}", ["mqtt.url"]), ("mqtt: {url: mqtt://a}", []),
        ("mqtt: {url: mqtt://b, user: c, password-file: /p}", ["mqtt.url", "mqtt.user", "mqtt.password-file"]),
        (
            "mqtt: {url: mqtt://a, topic: d, homeassistant: off, access: admin, events: '*', interval: 1, distance: 2}",
            ["mqtt.topic", "mqtt.homeassistant", "mqtt.access", "mqtt.events", "mqtt.interval", "mqtt.distance"]
        ),
        ("mqtt: {url: mqtt://a, phones: owntracks/+/+}", ["mqtt.phones"]),
        ("mqtt: {url: mqtt://a, boards: waymark/+}", ["mqtt.boards"]),
        ("mqtt: {url: mqtt://a}\nuplink: {mqtt: on}", ["uplink.mqtt"]),
    ])
    func theKeysOfTheBrokerNeedARestart(_ text: String, _ keys: [String]) throws {
        let running = try setting.load("mqtt: {url: mqtt://a}").configuration
        let taken = try setting.load(text).configuration.takenOver(from: running)
        #expect(taken.waiting == keys)
        #expect(taken.configuration == running)
    }

    @Test(arguments: [
        ("url: broker", "mqtt.url"), ("url: mqtt://me@a", "mqtt.url"),
        ("url: mqtts://a, fingerprint: 12", "mqtt.fingerprint"), ("url: mqtt://a, ca: /c", "mqtt.ca"),
        ("url: mqtt://a, password-file: /p", "mqtt.password-file"), ("url: mqtt://a, topic: 'a/#'", "mqtt.topic"),
        ("url: mqtt://a, homeassistant: 'a b'", "mqtt.homeassistant"),
    ])
    func settingsOfTheBrokerAreChecked(_ text: String, _ key: String) throws {
        let problems = try setting.problems("mqtt: {\(text)}")
        #expect(problems.count == 1 && problems[0].hasPrefix("w.yaml:1: \(key): "), "\(problems)")
    }

    @Test func eventsGoOverTheBrokerInPlaceOfAnAddress() throws {
        let text = "mqtt: {url: mqtt://a, topic: waymark/van}\nuplink: {mqtt: on, secret: /s}"
        let uplink = try setting.load(text).configuration.uplink
        #expect(uplink?.isOverBroker == true && uplink?.url == nil && uplink?.secret.path == "/s")
        #expect(try setting.load("mqtt: {url: mqtt://a}").configuration.uplink == nil)
        let address = try setting.load("uplink: {url: 'https://a'}\nmqtt: {url: mqtt://a}").configuration.uplink
        #expect(address?.isOverBroker == false)
    }

    @Test(arguments: [
        (
            "mqtt: {url: mqtt://a}\nuplink: {mqtt: on, url: 'https://a'}", "uplink.mqtt",
            "uplink.url and uplink.mqtt are two ways to the centre; set one of them"
        ),
        ("uplink: {mqtt: on}", "uplink.mqtt", "events go over a broker: set mqtt.url"),
        ("mqtt: {url: broker}\nuplink: {mqtt: on}", "mqtt.url", "it must be mqtt://HOST"),
        ("mqtt: {url: mqtt://a, boards: waymark}", "mqtt.boards", "it must be a topic with one +"),
        ("mqtt: {url: mqtt://a, topic: waymark/van.1}\nuplink: {mqtt: on}", "mqtt.topic", "its last level is"),
    ])
    func settingsOfTheWayOverTheBrokerAreChecked(_ text: String, _ key: String, _ reason: String) throws {
        let problems = try setting.problems(text)
        #expect(problems.count == 1 && problems[0].contains(" \(key): \(reason)"), "\(problems)")
    }

    @Test func theServicesFoldersAreThoseOfItsUnitForAnyUser() throws {
        var context = setting.context
        context.environment = ["HOME": "/root", "WAYMARK_LOG_LEVEL": "debug"]
        context.isRoot = true
        let configuration = try LoadedConfiguration(
            file: nil, flags: DaemonFlags(), context: context.ofService, checkingURL: { _ in }
        ).configuration
        #expect(configuration.store == "/var/lib/waymark/waymark.sqlite")
        #expect(configuration.socket == "/run/waymark/waymark.sock")
        #expect(configuration.logLevel == .debug)
    }
}
#endif
