import Geodesy
import NMEA
import Positioning
import Testing

/// Two receivers on one line, as a multiplexer on a boat joins them.
@Suite struct SharedLineTests {
    /// What a receiver that sees nothing sends after the sentences of another.
    private static let voids: [[String]] = [
        ["RMC,TIME,V,,,,,,,DATE,,,N"], ["GLL,,,,,TIME,V,N"], ["GGA,TIME,,,,,0,00,,,M,,M,,"],
        ["GNS,TIME,,,,,NN,00,,,,,"], ["RMC,,V,,,,,,,,,,N"], ["GLL,,,,,,V,N"], ["GGA,,,,,,0,00,,,M,,M,,"],
        ["RMC,TIME,V,,,,,,,DATE,,,N", "GLL,,,,,TIME,V,N", "GGA,TIME,,,,,0,00,,,M,,M,,", "GSA,A,1,,,,,,,,,,,,,,,"],
    ]

    private static func filled(_ sentences: [String], _ talker: String, _ second: Int) -> [String] {
        sentences.map {
            talker
                + $0.replacing("TIME", with: Receiver.clock(second)).replacing("DATE", with: "010526")
        }
    }

    @Test(arguments: voids, ["AI", "GP", "GN", "II"])
    func aReceiverWithoutAFixTakesNoneAway(_ sentences: [String], _ talker: String) {
        var receiver = Receiver(cycle: ["RMC", "GGA", "GLL"])
        var alone = Recording()
        var shared = Recording()
        for _ in 0..<20 {
            let second = receiver.second
            let own = receiver.epoch()
            for sentence in own {
                alone.add(sentence)
                shared.add(sentence)
            }
            for sentence in Self.filled(sentences, talker, second) { shared.add(sentence) }
        }
        #expect(Decoded(alone).fixes.count == 20)
        #expect(Decoded(shared).fixes == Decoded(alone).fixes)
    }

    @Test(arguments: voids)
    func norIfItsSentencesFallBetweenTheOthers(_ sentences: [String]) {
        var receiver = Receiver(cycle: ["RMC", "GGA", "VTG"])
        var alone = Recording()
        var shared = Recording()
        for _ in 0..<20 {
            let second = receiver.second
            for sentence in receiver.epoch() {
                for void in Self.filled(sentences, "AI", second) { shared.add(void) }
                alone.add(sentence)
                shared.add(sentence)
            }
        }
        let (want, decoded) = (Decoded(alone), Decoded(shared))
        #expect(decoded.times == want.times)
        #expect(decoded.fixes.map(\.coordinate) == want.fixes.map(\.coordinate))
    }

    /// The second receiver is 100 m away, so that each fix shows whose it is.
    private struct Pair {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []
        var second = 36_000

        mutating func add(first: Bool?, second hasSecond: Bool?, hdops: (String, String) = ("0.9", "0.9")) {
            let time = Receiver.clock(second)
            if let first { add("GP", "5222.0000,N,00453.0000,E", first, time, hdops.0) }
            if let hasSecond { add("AI", "5222.0540,N,00453.0000,E", hasSecond, time, hdops.1) }
            second += 1
        }

        private mutating func add(_ talker: String, _ place: String, _ hasFix: Bool, _ time: String, _ hdop: String) {
            feed(
                hasFix
                    ? "\(talker)RMC,\(time),A,\(place),0.0,45.5,010526,,,A"
                    : "\(talker)RMC,\(time),V,,,,,,,010526,,,N")
            feed(
                hasFix
                    ? "\(talker)GGA,\(time),\(place),1,08,\(hdop),12.5,M,46.9,M,,"
                    : "\(talker)GGA,\(time),,,,,0,00,,,M,,M,,")
        }

        private mutating func feed(_ sentence: String) {
            let line = Recording.line(sentence)
            decoder.feed(line.span, into: &fixes)
        }

        /// Whose fixes they are, one letter each.
        mutating func finish() -> String {
            decoder.finish(into: &fixes)
            return String(fixes.map { $0.coordinate.latitude < 52.367 ? "G" : "A" })
        }
    }

    @Test func twoReceiversWithAFixAreNotMixed() {
        var pair = Pair()
        for _ in 0..<20 { pair.add(first: true, second: true) }
        #expect(pair.finish() == String(repeating: "G", count: 20))
        #expect(pair.decoder.sharedLine?.talkers == ["GP", "AI"])
        #expect(pair.decoder.sharedLine?.followed == "GP")
        #expect(pair.decoder.sharedLine?.changes == 0)
    }

    @Test func theOneThatHasAFixIsFollowed() {
        var pair = Pair()
        for _ in 0..<10 { pair.add(first: true, second: true) }
        for _ in 0..<10 { pair.add(first: false, second: true) }
        for _ in 0..<10 { pair.add(first: true, second: true) }
        for _ in 0..<10 { pair.add(first: true, second: false) }
        let whose = pair.finish()
        #expect(
            whose == String(repeating: "G", count: 10) + String(repeating: "A", count: 20)
                + String(repeating: "G", count: 10))
        #expect(pair.decoder.sharedLine?.changes == 2)
    }

    @Test func aReceiverThatFallsSilentIsLeft() {
        var pair = Pair()
        for _ in 0..<10 { pair.add(first: true, second: true) }
        for _ in 0..<10 { pair.add(first: nil, second: true) }
        let whose = pair.finish()
        #expect(whose.hasPrefix(String(repeating: "G", count: 10) + "A"))
        #expect(whose.count >= 18)
        #expect(pair.decoder.sharedLine?.followed == "AI")
    }

    @Test func aClearlyBetterReceiverIsFollowed() {
        var pair = Pair()
        for _ in 0..<30 { pair.add(first: true, second: true, hdops: ("4.0", "0.8")) }
        let whose = pair.finish()
        #expect(whose.count == 30 && whose.hasSuffix("AAAAAAAAAAAAAAA"))
        #expect(pair.decoder.sharedLine?.changes == 1)
    }

    /// Receivers of several constellations send some sentences once for each.
    @Test func theTalkersOfOneReceiverStayOne() {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []
        for second in 36_000..<36_020 {
            let time = Receiver.clock(second)
            for sentence in [
                "GPGGA,\(time),5222.0000,N,00453.0000,E,1,08,0.9,12.5,M,46.9,M,,",
                "GLGGA,\(time),5222.00001,N,00453.00001,E,1,05,1.9,12.5,M,46.9,M,,",
                "GNGNS,\(time),5222.0000,N,00453.0000,E,AA,13,0.8,12.5,46.9,,",
                "GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,1.0,1.4",
                "GNRMC,\(time),A,5222.0000,N,00453.0000,E,1.0,45.5,010526,,,A",
            ] {
                let line = Recording.line(sentence)
                decoder.feed(line.span, into: &fixes)
            }
        }
        decoder.finish(into: &fixes)
        #expect(fixes.count == 20)
        #expect(decoder.sharedLine == nil)
    }
}
