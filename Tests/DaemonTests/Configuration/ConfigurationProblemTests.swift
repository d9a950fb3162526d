#if Companion
import TestSupport
import Testing

@testable import Daemon

@Suite struct ConfigurationProblemTests {
    private let setting: ConfigurationSetting

    init() throws { setting = try ConfigurationSetting() }

    private static let keys =
        "there is no such key; the keys are store, socket, sources, admin-group, log-level, tracking, commit, retention, mail, people, notifications, events, uplink, limits, web, map, mqtt"
    private static let path = "an absolute path of at most 4000 bytes"
    private static let seconds = "a number of seconds from 0 to 604800"
    private static let levels = "one of trace, debug, info, notice, warning, error, critical"
    private static let group = "the name of a group: 1 to 32 letters, digits, '.', '-', '_'"
    private static let source = "NAME=URL with a NAME of 1 to 64 letters, digits, '.', '-', '_'"

    private static let quotation = "while scanning a quoted scalar that begins on line 1"
    private static let document = "expected a single document in the stream that begins on line 1"

    @Test(arguments: [
        ("storre: /a", 1, "\"storre\": \(keys)"),
        ("tracking.dwell: 3", 1, "\"tracking.dwell\": \(keys)"),
        ("commit:\n  each: 1", 2, "\"commit.each\": there is no such key; the keys of commit are interval, points"),
        ("tracking:\n  dwell: 1 min", 2, "tracking.dwell: \"1 min\" is not \(seconds)"),
        ("tracking: {dwell: -1}", 1, "tracking.dwell: \"-1\" is not \(seconds)"),
        ("tracking: {dwell: .nan}", 1, "tracking.dwell: \".nan\" is not \(seconds)"),
        ("tracking: {dwell: off}", 1, "tracking.dwell: \"off\" is not \(seconds)"),
        (
            "tracking: {exit-margin: x}", 1,
            "tracking.exit-margin: \"x\" is not a number of metres from 0 to 100000, or auto"
        ),
        ("tracking: {gate: true}", 1, "tracking.gate: \"true\" is not one of on, off"),
        ("commit: {points: 1.5}", 1, "commit.points: \"1.5\" is not a whole number of points from 1 to 100000"),
        ("commit: {interval: 0}", 1, "commit.interval: \"0\" is not a number of seconds from 1 to 3600"),
        ("retention: {events: 0}", 1, "retention.events: \"0\" is not a whole number of days from 1 to 36500, or off"),
        ("log-level: verbose", 1, "log-level: \"verbose\" is not \(levels)"),
        ("admin-group: a b", 1, "admin-group: \"a b\" is not \(group)"),
        ("store: w.sqlite", 1, "store: \"w.sqlite\" is not \(path)"),
        ("store: ~/w.sqlite", 1, "store: \"~/w.sqlite\" is not \(path)"),
        ("store: \"/a\\nb\"", 1, "store: \"/a\\nb\" is not \(path)"),
        ("store:", 1, "store: the value is missing; it must be \(path)"),
        ("\n\nlog-level:\n  - info", 3, "log-level: this key takes one value, not a list: \(levels)"),
        (
            "tracking:\n  gate:\n    is: on", 2,
            "tracking.gate: this key is not a group; its value must be one of on, off"
        ),
        ("commit: 3", 1, "commit: this is a group; write its keys below it: interval, points"),
        ("commit: [interval]", 1, "commit: this is a group; write its keys below it: interval, points"),
        ("? [a, b]\n: 1", 1, "a key must be a word"),
        ("store: /a\nsocket: /b\nstore: /c", 1, "these keys are set more than once: \"store\""),
        ("commit:\n\tinterval: 3", 2, "the line is indented with a tab; use spaces"),
        ("# x\r\ncommit:\r\n  \tinterval: 3\r\n", 3, "the line is indented with a tab; use spaces"),
        ("- store", 1, "the file is not a mapping; write \"KEY: VALUE\" lines"),
        ("waymark", 1, "the file is not a mapping; write \"KEY: VALUE\" lines"),
        ("store: &a /x\nsocket: *a", 2, "aliases such as *NAME are not supported; write the value itself"),
        ("store: \"/a\n", 2, "this is not YAML: found unexpected end of stream (\(quotation))"),
        ("store: /a\n---\nstore: /b", 2, "this is not YAML: but found another document (\(document))"),
        ("store: /a\u{1}", 1, "this is not YAML: control characters are not allowed"),
    ])
    func problemsAreReportedWithTheirLine(text: String, line: Int, problem: String) throws {
        #expect(try setting.problems(text) == ["w.yaml:\(line): \(problem)"])
    }

    @Test(arguments: [
        ("gps0", "\"gps0\" is not \(source)"),
        ("=a:b", "\"=a:b\" is not \(source)"),
        ("gps0=", "\"gps0=\" is not \(source)"),
        ("gps 0=a:b", "\"gps 0=a:b\" is not \(source)"),
        ("gps0=tcp", "gps0: the URL has no scheme"),
    ])
    func aSourceIsCheckedInTheFileAndInFlags(source: String, reason: String) throws {
        #expect(try setting.problems("sources:\n  - ok=a:b\n  - \(source)") == ["w.yaml:3: sources: \(reason)"])
        let flags = DaemonFlags(sources: ["ok=a:b", source])
        #expect(try setting.problems("", flags: flags) == ["--source: \(reason)"])
    }

    @Test func theLongestSourceNameIsAcceptedAndALongerOneIsRefused() throws {
        let name = String(repeating: "n", count: 64)
        #expect(try setting.problems("sources: [\(name)=a:b]").isEmpty)
        #expect(try setting.problems("sources: [n\(name)=a:b]").count == 1)
    }

    @Test func sourcesMustBeAListOfTextsWithUniqueNames() throws {
        #expect(
            try setting.problems("sources: a=b:c") == [
                "w.yaml:1: sources: this is a list; write each source on its own line as \"- NAME=URL\""
            ])
        #expect(
            try setting.problems("sources:\n  - gps0: tcp://a:1") == [
                "w.yaml:2: sources: an element must be plain text: \(Self.source)"
            ])
        #expect(
            try setting.problems("sources:\n  - a=b:c\n  - a=d:e") == [
                "w.yaml:3: sources: the name a is used twice; each source needs its own"
            ])
        let many = (1...65).map { "  - s\($0)=a:b\n" }.joined()
        #expect(
            try setting.problems("sources:\n" + many) == [
                "w.yaml:1: sources: there are 65 sources; the maximum is 64"
            ])
    }

    @Test func allProblemsAreReportedAtOnceIncludingOverriddenValues() throws {
        var setting = setting
        setting.context.environment["WAYMARK_STOR"] = "/a"
        // This variable belongs to the commands that call a daemon.
        setting.context.environment["WAYMARK_SESSION"] = "/a"
        setting.context.environment["WAYMARK_TRACKING_DWELL"] = "soon"
        setting.context.environment["WAYMARK_SOURCES"] = "a=b:c,a=b:c"
        let variables = ConfigurationKey.allCases.map(\.environmentVariable).joined(separator: ", ")
        let problems = try setting.problems(
            "store: here\nlog-level: loud\n", flags: DaemonFlags(sources: ["x"], store: "/a", socket: ""))
        #expect(
            problems.map { $0.split(separator: ": ").prefix($0.hasPrefix("--") ? 1 : 2).joined(separator: "|") } == [
                "w.yaml:1|store", "w.yaml:2|log-level", "environment variable WAYMARK_SOURCES|sources",
                "environment variable WAYMARK_STOR|there is no such variable; the variables are \(variables)",
                "environment variable WAYMARK_TRACKING_DWELL|tracking.dwell", "--socket", "--source",
            ])
    }

    @Test func theSocketsPathMayBeAsLongAsTheSystemAllows() throws {
        let path = "/" + String(repeating: "s", count: 106)
        #expect(try setting.problems("socket: \(path)").isEmpty)
        #expect(try setting.problems("socket: \(path)s").count == 1)
        var setting = setting
        setting.context.environment["XDG_RUNTIME_DIR"] = path
        #expect(try setting.problems("").map { $0.hasPrefix("default: socket:") } == [true])
        #expect(try setting.problems("socket: /s").isEmpty)
    }

    @Test(arguments: [
        ("\u{FF}", 2, "w.yaml: it is not UTF-8 text; save it as UTF-8"),
        ("#", (1 << 20) + 1, "w.yaml: it is larger than 1048576 bytes, too large for a configuration file"),
        ("[", 5_000, "w.yaml:1: it is nested too deeply"),
    ])
    func filesThatAreNoConfigurationAreRefused(character: Unicode.Scalar, count: Int, problem: String) throws {
        let bytes = [UInt8](repeating: UInt8(character.value), count: count)
        #expect(try setting.problems(bytes) == [problem])
    }

    @Test func windowsLineEndsAndAByteOrderMarkAreAccepted() throws {
        let configuration = try setting.load("\u{FEFF}store: /a\r\n\r\ncommit:\r\n  points: 7\r\n").configuration
        #expect(configuration.store == "/a")
        #expect(configuration.commitPoints == 7)
    }

    @Test func problemsBeyondAPageAreOnlyCounted() throws {
        let lines = try setting.problems((1...50).map { "k\($0): 1\n" }.joined())
        #expect(lines.count == ConfigurationError.maximumListed + 1)
        #expect(lines.last == "and 10 more problems")
    }

    @Test func damagedFilesAreEitherReadOrRefused() throws {
        var generator = SeededGenerator(seed: 11)
        let text = Array(
            "store: /a\nsources:\n  - a=b:c\ntracking: {gate: on, dwell: \"5\"}\n# *x\ncommit:\n  points: 3\n".utf8)
        let pieces = Array("{}[]:,-&*!|>'\"%@`#? \t\n\r\u{0}".utf8)
        var refused = 0
        for _ in 0..<60 {
            var bytes = text
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = pieces.randomElement(using: &generator).known
            }
            if try !setting.problems(bytes).isEmpty { refused += 1 }
        }
        #expect((10..<60).contains(refused))
    }
}
#endif
