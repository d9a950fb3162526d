import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct SupervisionTests {
    private static let start = ContinuousClock.now
    private static let fix = Fix(time: nil, coordinate: Coordinate(latitude: 52, longitude: 4).known)

    /// An input of the supervision, and its time in seconds after the start.
    enum Step: Sendable {
        case begin(Int)
        case hear(ReceiverInput, Int)
        case end(String, Int)
    }

    private static func offline(_ reason: String, _ device: String = "gps") -> ReceiverReport {
        .offline(device: device, reason: reason)
    }

    private static func still(_ reason: String, _ device: String = "gps") -> ReceiverReport {
        .stillOffline(device: device, reason: reason)
    }

    private static func online(_ device: String = "gps") -> ReceiverReport { .online(device: device) }

    private static let stories: [(String, [Step], [ReceiverReport])] = [
        (
            "a receiver that was never there is offline once for each reason",
            [.begin(0), .end("refused", 0), .begin(1), .end("refused", 1), .begin(2), .end("no", 2)],
            [offline("refused"), still("no")]
        ),
        (
            "a gpsd that is back, and says nothing, does not refuse any more",
            [
                .begin(0), .end("refused", 0), .begin(1), .hear(.opened, 1), .hear(.silence, 31), .end("silent", 31),
                .begin(32), .hear(.opened, 32),
            ],
            [
                offline("refused"), still("gpsd answers, but the receiver has sent nothing yet"),
                still("silent for 30 s"),
            ]
        ),
        ("a gpsd that is there at once is no news", [.begin(0), .hear(.opened, 0)], []),
        (
            "sense makes it online once, with a fix or without",
            [.begin(0), .hear(.validData([]), 1), .hear(.validData([fix]), 2)],
            [online(), .fixes([fix], device: "gps")]
        ),
        (
            "it comes back", [.begin(0), .hear(.validData([]), 1), .end("x", 2), .begin(3), .hear(.validData([]), 4)],
            [online(), offline("x"), online()]
        ),
        (
            "silence is told once, and its connection's end no more",
            [.begin(0), .hear(.validData([]), 1), .hear(.silence, 31), .hear(.silence, 61), .end("silent", 61)],
            [online(), offline("silent for 30 s")]
        ),
        ("silence from the start is told", [.begin(0), .hear(.silence, 30)], [offline("silent for 30 s")]),
        (
            "noise is no sense, and too much of it is the end",
            [.begin(0), .hear(.noise, 10), .hear(.noise, 29), .hear(.noise, 30), .hear(.validData([]), 31)],
            [offline("no NMEA sentence in its data for 30 s"), online()]
        ),
        (
            "noise between sentences does not matter",
            [.begin(0), .hear(.noise, 29), .hear(.validData([]), 30), .hear(.noise, 59)], [online()]
        ),
        (
            "one receiver of a gpsd has its name",
            [.begin(0), .hear(.listing(["/dev/a"]), 0), .hear(.validData([], from: "/dev/a"), 1)], [online()]
        ),
        (
            "several have names of their own, and fall silent alone",
            [
                .begin(0), .hear(.listing(["/dev/a", "/dev/b"]), 0), .hear(.validData([], from: "/dev/a"), 1),
                .hear(.validData([fix], from: "/dev/b"), 2), .hear(.validData([], from: "/dev/b"), 30),
                .hear(.validData([], from: "/dev/b"), 31), .end("gone", 32),
            ],
            [
                online("gps/a"), online("gps/b"), .fixes([fix], device: "gps/b"), offline("silent for 30 s", "gps/a"),
                still("gone", "gps/a"), offline("gone", "gps/b"),
            ]
        ),
        (
            "what gpsd closes is offline, and nothing else",
            [
                .begin(0), .hear(.listing(["/dev/a", "/dev/b"]), 0), .hear(.validData([], from: "/dev/a"), 1),
                .hear(.validData([], from: "/dev/b"), 1), .hear(.closed("/dev/a"), 2), .hear(.closed("/dev/a"), 3),
            ],
            [online("gps/a"), online("gps/b"), offline("gpsd has closed it", "gps/a")]
        ),
        (
            "a source that was missed before its receivers were known is online while one of them is",
            [
                .begin(0), .end("refused", 0), .begin(1), .hear(.listing(["/dev/a", "/dev/b"]), 1),
                .hear(.validData([], from: "/dev/a"), 2), .hear(.validData([], from: "/dev/b"), 2),
                .hear(.closed("/dev/b"), 3), .hear(.validData([], from: "/dev/a"), 33), .hear(.closed("/dev/a"), 34),
            ],
            [
                offline("refused"), online(), online("gps/a"), online("gps/b"),
                offline("gpsd has closed it", "gps/b"), offline("gpsd has closed it", "gps/a"),
                offline("gpsd has closed it"),
            ]
        ),
        (
            "a source that was missed is gone with its receivers",
            [
                .begin(0), .end("refused", 0), .begin(1), .hear(.listing(["/dev/a", "/dev/b"]), 1),
                .hear(.validData([], from: "/dev/a"), 2), .end("x", 3), .begin(4),
                .hear(.validData([], from: "/dev/b"), 5),
            ],
            [
                offline("refused"), online(), online("gps/a"), offline("x"), offline("x", "gps/a"), online(),
                online("gps/b"),
            ]
        ),
        (
            "a receiver that has the source's name is silent alone",
            [
                .begin(0), .hear(.listing(["/dev/a"]), 0), .hear(.validData([], from: "/dev/a"), 1),
                .hear(.validData([], from: "/dev/b"), 2), .hear(.validData([], from: "/dev/b"), 31),
            ],
            [online(), online("gps/b"), offline("silent for 30 s")]
        ),
        (
            "what was skipped is told each minute and at the end",
            [
                .begin(0), .hear(.skipped(tally(1)), 1), .hear(.skipped(tally(2)), 60), .hear(.skipped(tally(1)), 61),
                .end("x", 62), .end("x", 63),
            ],
            [.skipped(tally(3)), offline("x"), .skipped(tally(1))]
        ),
    ]

    private static func tally(_ count: Int) -> Tally {
        var tally = Tally()
        tally.count("checksum", times: count)
        return tally
    }

    @Test(arguments: stories)
    func eachSequenceOfInputsGivesItsReports(story: String, steps: [Step], expected: [ReceiverReport]) {
        #expect(Self.reports(of: steps) == expected, "\(story)")
    }

    /// Devices that were known before a restart are reported, whatever their state was then.
    @Test(
        arguments: [
            (["gps"], [.end("refused", 0), .end("refused", 1)], [offline("refused")]),
            (["gps/a", "gps/b"], [.end("refused", 0)], [offline("refused", "gps/a"), offline("refused", "gps/b")]),
            (
                ["gps/a", "gps/b"],
                [
                    .hear(.listing(["/dev/a", "/dev/b"]), 0), .hear(.validData([], from: "/dev/a"), 1),
                    .hear(.validData([], from: "/dev/a"), 30),
                ], [online("gps/a"), offline("silent for 30 s", "gps/b")]
            ),
            (
                ["gps"],
                [.hear(.listing(["/dev/a", "/dev/b"]), 0), .hear(.validData([], from: "/dev/a"), 1), .end("x", 2)],
                [online(), online("gps/a"), offline("x"), offline("x", "gps/a")]
            ),
        ] as [([String], [Step], [ReceiverReport])])
    func devicesKnownBeforeARestartAreReportedToo(known: [String], steps: [Step], expected: [ReceiverReport]) {
        #expect(Self.reports(of: steps, known: known) == expected)
    }

    private static func reports(of steps: [Step], known: [String] = []) -> [ReceiverReport] {
        var supervision = Supervision(name: "gps", idle: .seconds(30), isLocal: true, known: known, at: start)
        var reports: [ReceiverReport] = []
        for step in steps {
            switch step {
            case .begin(let second): supervision.begin(at: start + .seconds(second))
            case .hear(let input, let second): reports += supervision.process(input, at: start + .seconds(second))
            case .end(let reason, let second): reports += supervision.end(reason, at: start + .seconds(second))
            }
        }
        return reports
    }

    @Test func silenceLastsUntilDataComesOrAConnectionBegins() {
        var supervision = Supervision(name: "gps", idle: .seconds(30), isLocal: true, at: Self.start)
        #expect(!supervision.isSilent)
        _ = supervision.process(.silence, at: Self.start)
        #expect(supervision.isSilent)
        _ = supervision.process(.validData([]), at: Self.start)
        #expect(!supervision.isSilent)
        _ = supervision.process(.silence, at: Self.start)
        supervision.begin(at: Self.start)
        #expect(!supervision.isSilent)
    }

    @Test(arguments: [(true, [0.5, 1, 2, 4, 5, 5]), (false, [0.5, 1, 2, 4, 8, 16, 30, 30])])
    func waitsGrowUpToALimit(isLocal: Bool, seconds: [Double]) {
        var backoff = Backoff(isLocal: isLocal)
        for expected in seconds { #expect(backoff.wait(random: 0.5) == .seconds(expected)) }
        backoff.reset()
        #expect(backoff.wait(random: 0) == .milliseconds(400))
        backoff.reset()
        #expect(backoff.wait(random: 1) == .milliseconds(600))
    }

    /// The arguments are how long the connection delivered data, and the wait after it, which is the third.
    @Test(arguments: [(0, 2.0), (9, 2.0), (10, 0.5), (3600, 0.5)])
    func aGoodConnectionResetsTheBackoff(seconds: Int, wait: Double) {
        var supervision = Supervision(name: "gps", idle: .seconds(30), isLocal: false, at: Self.start)
        for _ in 0..<2 { _ = supervision.wait(random: 0.5) }
        supervision.begin(at: Self.start)
        _ = supervision.process(.validData([]), at: Self.start)
        _ = supervision.end("x", at: Self.start + .seconds(seconds))
        #expect(supervision.wait(random: 0.5) == .seconds(wait))
    }
}

@Suite struct DeviceNamesTests {
    /// The arguments are gpsd's lists, the paths that deliver, and the expected names.
    @Test(arguments: [
        ([["/dev/a"]], ["/dev/a", "/dev/b"], ["gps", "gps/b"]),
        ([], ["/dev/a", "/dev/b", "/dev/a"], ["gps", "gps/b", "gps"]),
        ([["/dev/b", "/dev/a"]], ["/dev/a", "/dev/b"], ["gps/a", "gps/b"]),
        ([["/dev/a", "/dev/b"], ["/dev/a"]], ["/dev/a", "/dev/b"], ["gps/a", "gps/b"]),
        ([["/dev/a"], ["/dev/a", "/dev/b"]], ["/dev/a", "/dev/b"], ["gps", "gps/b"]),
        ([["/dev/a"], ["/dev/b"]], ["/dev/b", "/dev/a"], ["gps", "gps/a"]),
        ([["/dev/a", "/x/a"]], ["/x/a", "/dev/a"], ["gps/x/a", "gps/a"]),
        ([["/a", "//a"]], ["//a", "/a"], ["gps////a", "gps/a"]),
        ([["udp://127.0.0.1:5", "/"]], ["udp://127.0.0.1:5", "/"], ["gps/127.0.0.1:5", "gps/"]),
    ])
    func receiversGetDistinctNames(lists: [[String]], paths: [String], expected: [String]) {
        var names = DeviceNames("gps")
        for list in lists { names.list(list) }
        #expect(paths.map { names.name(of: $0) } == expected)
        #expect(names.name(of: nil) == "gps")
    }

    @Test func theNumberOfNamesOfAServersReceiversIsBounded() {
        var names = DeviceNames("gps")
        let all = Set((0..<DeviceNames.maximumPaths).compactMap { names.name(of: "/dev/\($0)") })
        #expect(all.count == DeviceNames.maximumPaths)
        // One more does not share a name with another.
        #expect(names.name(of: "/dev/more") == nil)
        #expect(names.name(of: "/dev/64") == "gps/64")
    }
}
