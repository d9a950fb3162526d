import Foundation
import Glibc
import TextCoding

/// A benchmark of 1,000 phones that each report a place a second, beside 100 browsers that follow the events and ask for
/// pages and trips.
///
/// A time counts from the moment at which a request is due until its answer is whole. A phone's answer comes once its
/// place is on the disk. At the end, the daemon must have each place of each phone once, or the run fails.
enum PhonesBenchmark {
    static let all = [Benchmark(name: "phones", files: []) { try measure($0) }]

    private static let phones = 1000
    private static let browsers = 100
    /// The connections of the phones, which take turns on them: a daemon has 1,024 in all.
    private static let lanes = 250
    /// The time between two requests of a browser.
    private static let pause = Duration.seconds(5)
    /// The time of the first place, 2026-05-01T10:00:00Z, in seconds since 1970.
    private static let start = 1_777_629_600

    /// What each browser asks for, in turn.
    ///
    /// - Parameter page: The first page, which names the folder of the scripts.
    private static func questions(of page: String) throws -> [Question] {
        guard let folder = page.firstMatch(of: /\/assets\/[0-9a-f]+\//)?.output else {
            throw Workload.Damage(description: "the first page names no scripts: \(page.prefix(200))")
        }
        return [
            ("GET", "/", ""), ("GET", "\(folder)app.js", ""),
            ("POST", "/rpc", call("trips.list", #"{"limit":20}"#)),
            ("GET", "\(folder)style.css", ""), ("POST", "/rpc", call("events.list", "{}")),
        ]
    }

    private typealias Question = (method: String, path: String, body: String)

    private static func call(_ method: String, _ parameters: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#
    }

    private static func measure(_ work: Workload) throws {
        let scratch = try ScratchFolder()
        let port = try LocalSocket.freeStreamPort()
        let daemon = try DaemonProcess(
            work, in: scratch, configuration: "web:\n  listen: 127.0.0.1:\(port)\n")
        var load = try Load(port: port, secrets: try secrets(daemon.socket), seconds: work.phoneSeconds)
        let before = ProcessFigures.processorSeconds(of: daemon.processID)
        let watch = Stopwatch()
        try load.run()
        let took = Elapsed(
            seconds: watch.elapsed.seconds,
            processorSeconds: ProcessFigures.processorSeconds(of: daemon.processID) - before)
        let stored = try accepted(daemon.socket)
        let lost = load.sent - stored
        Figures(workload: "phones", count: load.sent, took: took, peak: daemon.kilobytes("VmHWM")).print { json in
            json.percentiles(load.phoneTimes)
            json.member("lost", lost)
            json.member("refused", load.refused.values.reduce(0, +))
            json.member("rss_kb", daemon.kilobytes("VmRSS"))
        }
        Figures(workload: "phones-browsers", count: load.pageTimes.count, took: took, peak: daemon.kilobytes("VmHWM"))
            .print { json in
                json.percentiles(load.pageTimes)
                json.member("event_lines", load.eventLines)
                json.member("streams_again", load.reopened)
            }
        guard lost == 0, load.refused.isEmpty else {
            throw Workload.Damage(description: "\(lost) places are lost, requests were refused: \(load.refused)")
        }
    }

    /// Makes each phone a device, and returns their secrets.
    private static func secrets(_ socket: String) throws -> [String] {
        let caller = try SocketCaller(to: socket)
        return try (0..<phones).map { phone in
            let answer = try caller.call("devices.secret", #"{"device":"phone-\#(phone)"}"#)
            guard let secret = answer.firstMatch(of: /"secret":"([^"]+)"/)?.output.1 else {
                throw Workload.Damage(description: "no secret: \(answer)")
            }
            return String(secret)
        }
    }

    /// Returns the number of places that the daemon has accepted.
    private static func accepted(_ socket: String) throws -> Int {
        let answer = try SocketCaller(to: socket).call("server.stats", "{}")
        return answer.matches(of: /"accepted":(\d+)/).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }

    /// The phones and browsers, which run in one thread.
    private struct Load {
        private(set) var phoneTimes: [Duration] = []
        private(set) var pageTimes: [Duration] = []
        private(set) var sent = 0
        /// The answers other than 200, each with how often it came.
        private(set) var refused: [String: Int] = [:]
        private(set) var eventLines = 0
        /// How often a browser had read its events too slowly, and asked for them again.
        private(set) var reopened = 0

        private let secrets: [String]
        private let seconds: Int
        private let lanes: [WebLane]
        private let pages: [WebLane]
        private let streams: [WebLane]
        private let questions: [Question]
        /// The requests that wait for a free connection, each with when it was due.
        private var waiting: [[(phone: Int, second: Int, due: ContinuousClock.Instant)]]

        init(port: UInt16, secrets: [String], seconds: Int) throws {
            self.secrets = secrets
            self.seconds = seconds
            lanes = try (0..<PhonesBenchmark.lanes).map { _ in try WebLane(to: port) }
            pages = try (0..<browsers).map { _ in try WebLane(to: port) }
            streams = try (0..<browsers).map { _ in try WebLane(to: port) }
            waiting = Array(repeating: [], count: lanes.count)
            questions = try PhonesBenchmark.questions(of: try WebLane(to: port).text(of: "/"))
            for stream in streams { try Self.follow(stream) }
        }

        private static func follow(_ stream: WebLane) throws { try stream.send("GET", "/events?types=*", due: .now) }

        mutating func run() throws {
            let begin = ContinuousClock.now
            let total = seconds * secrets.count
            let step = Duration.seconds(1) / secrets.count
            var next = 0
            var asks = (0..<pages.count).map { begin + pause * $0 / pages.count }
            var asked = Array(repeating: 0, count: pages.count)
            while phoneTimes.count < total {
                let now = ContinuousClock.now
                while next < total, begin + step * next <= now {
                    let phone = next % secrets.count
                    waiting[phone % lanes.count].append((phone, next / secrets.count, begin + step * next))
                    next += 1
                }
                for lane in lanes.indices where lanes[lane].asked == nil && !waiting[lane].isEmpty {
                    let (phone, second, due) = waiting[lane].removeFirst()
                    try report(phone, second, on: lanes[lane], due: due)
                }
                for page in pages.indices where pages[page].asked == nil && asks[page] <= now {
                    let (method, path, body) = questions[asked[page] % questions.count]
                    try pages[page].send(
                        method, path, body.isEmpty ? [] : ["Content-Type: application/json"], body: body,
                        due: asks[page])
                    asked[page] += 1
                    asks[page] += pause
                }
                try receive()
            }
        }

        /// Sends a place of a phone, which drives north at 15 m/s.
        private mutating func report(
            _ phone: Int, _ second: Int, on lane: WebLane, due: ContinuousClock.Instant
        ) throws {
            let latitude = 40 + Double(phone % 100) * 0.1 + Double(second) * 15 / 111_195
            let longitude = 5 + Double(phone / 100) * 0.1
            let body = """
                {"_type":"location","tst":\(start + second),"lat":\(DecimalText.string(latitude, decimals: 7)),\
                "lon":\(DecimalText.string(longitude, decimals: 7)),"acc":5,"vel":54}
                """
            let password = Data("phone:\(secrets[phone])".utf8).base64EncodedString()
            try lane.send(
                "POST", "/in/", ["Authorization: Basic \(password)", "Content-Type: application/json"], body: body,
                due: due)
            sent += 1
        }

        /// Receives what has come within two milliseconds.
        private mutating func receive() throws {
            let all = lanes + pages + streams
            var polled = all.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            // The call fills the array, whose length it is given, before it returns.
            guard unsafe poll(&polled, nfds_t(polled.count), 2) >= 0 else { throw SystemFailure(call: "poll") }
            for (index, lane) in all.enumerated() where polled[index].revents != 0 {
                guard index < lanes.count + pages.count else {
                    do {
                        eventLines += try lane.receiveLines()
                    } catch is ConnectionClosed {
                        try lane.reopen()
                        try Self.follow(lane)
                        reopened += 1
                    }
                    continue
                }
                let asked = lane.asked
                guard let status = try lane.receive(), let asked else { continue }
                if status != 200 { refused["\(lane.question): \(status)", default: 0] += 1 }
                if index < lanes.count {
                    phoneTimes.append(ContinuousClock.now - asked)
                } else {
                    pageTimes.append(ContinuousClock.now - asked)
                }
            }
        }
    }
}
