import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct SenderTests {
    private static func rmc(_ second: Int, _ latitude: String = "5206.0000") -> String {
        let time = second < 10 ? "10000\(second)" : "1000\(second)"
        return RecordingTests.sentence("GPRMC,\(time),A,\(latitude),N,00406.0000,E,10.0,45.5,010526,,,A")
    }

    private static let depth = RecordingTests.sentence("IIDBT,12.3,f,3.8,M,2.1,F")

    private static func datagram(_ text: some StringProtocol, _ address: String, _ port: Int = 1) -> ByteInput {
        .datagram(Array(text.utf8), DatagramSender(address: address, port: port))
    }

    private static func fixes(_ inputs: [ReceiverInput]) -> [(Fix, String?)] {
        inputs.flatMap { input -> [(Fix, String?)] in
            guard case .validData(let fixes, let from) = input else { return [] }
            return fixes.map { ($0, from) }
        }
    }

    /// One sender cuts its sentences in two datagrams, and lines of another fall between them, even on one machine.
    @Test(arguments: [("10.0.0.2", 1), ("10.0.0.1", 2)]) func sentencesGoOnInTheNextDatagramOfTheirSender(
        other: String, port: Int
    ) {
        var feeds = SenderFeeds(WeekRollover(notBefore: nil))
        var inputs: [ReceiverInput] = []
        for second in 0..<60 {
            let line = Self.rmc(second)
            inputs += feeds.process(Self.datagram(line.prefix(30), "10.0.0.1"))
            inputs += feeds.process(Self.datagram(Self.depth, other, port))
            inputs += feeds.process(Self.datagram(line.dropFirst(30), "10.0.0.1"))
        }
        inputs += feeds.finish()
        let fixes = Self.fixes(inputs)
        #expect(fixes.count == 60)
        #expect(fixes.allSatisfy { $0.1 == "10.0.0.1" })
        #expect(!inputs.contains { if case .skipped = $0 { true } else { false } })
    }

    @Test func theFixesOfTwoSendersAreNotMixed() {
        var feeds = SenderFeeds(WeekRollover(notBefore: nil))
        var inputs: [ReceiverInput] = []
        for second in 0..<20 {
            inputs += feeds.process(Self.datagram(Self.rmc(second), "10.0.0.1", second))
            inputs += feeds.process(Self.datagram(Self.rmc(second, "5306.0000"), "10.0.0.2", second))
        }
        inputs += feeds.finish()
        let fixes = Self.fixes(inputs)
        #expect(fixes.count == 40)
        #expect(fixes.allSatisfy { ($0.1 == "10.0.0.1") == ($0.0.coordinate.latitude < 53) })
    }

    @Test func theNumberOfSendersIsBounded() {
        var feeds = SenderFeeds(WeekRollover(notBefore: nil))
        let last = SenderFeeds.maximumCount
        for number in 0...last {
            _ = feeds.process(Self.datagram("$GP", "10.0.\(number / 256).\(number % 256)", number))
            _ = feeds.process(Self.datagram("$GP", "10.9.9.9", number))
        }
        // What 10.9.9.9 began is still there, because it was heard of last.
        let line = Self.rmc(0).dropFirst(3)
        #expect(feeds.process(Self.datagram(line, "10.9.9.9", last)) == [.validData([], from: "10.9.9.9")])
        #expect(feeds.process(Self.datagram(line, "10.0.0.0", 0)) != [.validData([], from: "10.0.0.0")])
    }

    @Test func theFirstSenderHasTheSourcesNameAndOthersHaveTheirAddress() {
        let now = ContinuousClock.now
        var names = SenderNames("boat", known: [], at: now)
        #expect(names.name(of: "10.0.0.1", at: now) == "boat")
        #expect(names.name(of: "10.0.0.2", at: now) == "boat/10.0.0.2")
        #expect(names.name(of: "10.0.0.1", at: now + .seconds(900)) == "boat")
        // After a restart, each has its name, whoever comes first.
        var again = SenderNames("boat", known: ["boat", "boat/10.0.0.2"], at: now)
        #expect(again.name(of: "10.0.0.2", at: now) == "boat/10.0.0.2")
        #expect(again.name(of: "10.0.0.1", at: now) == "boat")
        // The network has given the first sender another address.
        #expect(again.name(of: "10.0.0.7", at: now + .seconds(599)) == "boat/10.0.0.7")
        #expect(again.name(of: "10.0.0.8", at: now + .seconds(600)) == "boat")
    }

    @Test func furtherSendersAreIgnoredWhileAllOthersAreHeardOf() {
        let now = ContinuousClock.now
        var names = SenderNames("boat", known: [], at: now)
        for number in 0..<SenderNames.maximumCount { #expect(names.name(of: "10.0.0.\(number)", at: now) != nil) }
        #expect(names.name(of: "10.1.1.1", at: now) == nil)
        #expect(names.name(of: "10.1.1.1", at: now + .seconds(600)) != nil)
    }

    @Test func recentValuesKeepTheOrderOfTheirUse() {
        var random = SeededGenerator(seed: 1)
        var recent = RecentValues<Int, Int>()
        var simple: [(key: Int, value: Int)] = []
        for step in 0..<5_000 {
            let key = Int.random(in: 0..<20, using: &random)
            let known = simple.firstIndex { $0.key == key }.map { simple.remove(at: $0) }
            if Int.random(in: 0...3, using: &random) == 0 {
                recent.remove(key)
            } else {
                let value = known?.value ?? step
                #expect(recent.use(key, or: step) { $0 } == value)
                simple.append((key, value))
            }
            #expect(recent.count == simple.count && recent.first?.key == simple.first?.key)
            #expect(recent.peek(key) == simple.last { $0.key == key }?.value)
            var order: [Int] = []
            recent.changeAll { key, _ in order.append(key) }
            #expect(order == simple.map(\.key))
        }
    }

    @Test func thousandsOfSendersAreDevices() {
        let now = ContinuousClock.now
        var supervision = Supervision(name: "port", idle: .seconds(30), isLocal: true, hasSenders: true, at: now)
        supervision.begin(at: now)
        let fix = Fix(time: Timestamp(milliseconds: 0), coordinate: .origin)
        var online: Set<String> = []
        for number in 0..<SenderNames.maximumCount + 5 {
            for case .online(let device) in supervision.process(.validData([fix], from: "sender\(number)"), at: now) {
                online.insert(device)
            }
        }
        #expect(online.count == SenderNames.maximumCount)
        // All but one fall silent.
        let later = now + .seconds(31)
        let reports = supervision.process(.validData([fix], from: "sender7"), at: later)
        #expect(reports.count == SenderNames.maximumCount)
        #expect(reports.first == .fixes([fix], device: "port/sender7"))
        #expect(
            supervision.process(.validData([fix], from: "sender8"), at: later).first == .online(device: "port/sender8"))
    }

    @Test func eachSenderIsADeviceThatIsOnlineOrOffline() {
        let now = ContinuousClock.now
        var supervision = Supervision(name: "boat", idle: .seconds(30), isLocal: true, hasSenders: true, at: now)
        supervision.begin(at: now)
        let fix = Fix(time: Timestamp(milliseconds: 0), coordinate: .origin)
        #expect(supervision.process(.validData([]), at: now) == [.online(device: "boat")])
        #expect(supervision.process(.validData([fix], from: "10.0.0.1"), at: now) == [.fixes([fix], device: "boat")])
        #expect(
            supervision.process(.validData([fix], from: "10.0.0.2"), at: now) == [
                .online(device: "boat/10.0.0.2"), .fixes([fix], device: "boat/10.0.0.2"),
            ])
        #expect(
            supervision.process(.validData([fix], from: "10.0.0.2"), at: now + .seconds(31)) == [
                .fixes([fix], device: "boat/10.0.0.2"), .offline(device: "boat", reason: "silent for 30 s"),
            ])
    }

    @Test func oneSenderCanBeChosen() throws {
        let address = try ReceiverAddress("udp://:10110?from=192.168.1.20&idle=60")
        #expect(address.sender == "192.168.1.20" && !address.hasSenders)
        #expect(address.description == "udp://:10110?from=192.168.1.20&idle=60")
        #expect(try ReceiverAddress("udp://:10110?from=[FE80::1]").sender == "fe80::1")
        #expect(try ReceiverAddress("udp://:10110").hasSenders)
        for wrong in ["udp://:1?from=boat", "udp://:1?from=1.2.3", "tcp://a:1?from=1.2.3.4"] {
            #expect(throws: ReceiverAddressError.self) { try ReceiverAddress(wrong) }
        }
    }
}
