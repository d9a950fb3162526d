import Geodesy
import NMEA
import Positioning
import Testing

@Suite struct EpochTests {
    /// A decoder that is fed sentence by sentence.
    private struct Session {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []

        /// Feeds a sentence and returns the number of fixes that it completes.
        mutating func feed(_ sentence: String) -> Int {
            let before = fixes.count
            let line = Recording.line(sentence)
            decoder.feed(line.span, into: &fixes)
            return fixes.count - before
        }
    }

    @Test func sentencesWithTheSameTimeMakeOneFix() throws {
        var receiver = Receiver(cycle: ["ZDA", "GGA", "GNS", "GLL", "GSA", "GST", "RMC", "VTG"])
        var recording = Recording()
        for _ in 0..<10 { for sentence in receiver.epoch() { recording.add(sentence) } }
        let decoded = Decoded(recording)
        #expect(decoded.fixes.count == 10)
        #expect(decoded.times.first == "2026-05-01T10:00:00.000Z")
        #expect(decoded.times.last == "2026-05-01T10:00:09.000Z")
        for fix in decoded.fixes {
            #expect(fix.altitude == .meters(12.5))
            #expect(fix.hdop == 0.8)
            #expect(fix.satellites == 13)
            #expect(fix.mode == .threeDimensional)
            #expect(fix.track == .degrees(45.5))
            #expect(abs((fix.accuracy?.meters ?? 0) - 8.65) < 1e-9)
        }
    }

    @Test(arguments: [
        ["GGA", "GSA", "RMC"], ["RMC", "GGA", "VTG"], ["RMC"], ["GGA", "RMC", "GSA", "GSA"], ["ZDA", "GLL", "GST"],
    ])
    func theLastSentenceOfAnEpochIsLearntFromThreeCycles(_ cycle: [String]) {
        var receiver = Receiver(cycle: cycle)
        var session = Session()
        for number in 0..<8 {
            for (index, sentence) in receiver.epoch().enumerated() {
                let isFirst = index == 0 && (1...3).contains(number)
                let isEnder = index == cycle.count - 1 && number >= 3
                #expect(session.feed(sentence) == (isFirst ? 1 : 0) + (isEnder ? 1 : 0))
            }
        }
        session.decoder.finish(into: &session.fixes)
        #expect(session.fixes.count == 8)
    }

    /// A position counts as a fix even if its epoch is incomplete.
    @Test(arguments: [["GGA", "GSA", "RMC"], ["GGA", "RMC", "GSA", "VTG"], ["RMC"]], [1, 5])
    func theLastEpochIsAFixEvenIfItIsCutShort(_ cycle: [String], _ before: Int) {
        var receiver = Receiver(cycle: cycle)
        var recording = Recording()
        for _ in 0..<before { for sentence in receiver.epoch() { recording.add(sentence) } }
        recording.add(receiver.sentence(cycle[0]))
        #expect(Decoded(recording).fixes.count == before + 1)
    }

    /// A second has ten positions and one sentence with the speed, which belongs to the last of them.
    @Test(arguments: [["GGA", "RMC"], ["RMC", "GGA"]])
    func aSpeedSentOnceASecondIsAddedToTheFixOfItsTime(_ cycle: [String]) {
        var session = Session()
        var speeds = 0
        for tenth in 0..<200 {
            let receiver = Receiver(second: 36_000 + tenth / 10)
            for formatter in tenth % 10 == 9 ? cycle : ["GGA"] {
                let text = receiver.sentence(formatter)
                let time = Receiver.clock(receiver.second)
                _ = session.feed(text.replacing(",\(time),", with: ",\(time).\(tenth % 10),"))
            }
        }
        session.decoder.finish(into: &session.fixes)
        #expect(session.fixes.count == 200)
        for (tenth, fix) in session.fixes.enumerated() where fix.speed != nil {
            #expect(tenth % 10 == 9 && fix.track == .degrees(45.5))
            speeds += 1
        }
        #expect(speeds == 20)
    }

    @Test func theLastEpochIsAFixEvenIfNoCycleWasLearnt() {
        var receiver = Receiver(cycle: ["GGA", "GSA", "RMC"])
        var recording = Recording()
        for _ in 0..<2 { for sentence in receiver.epoch() { recording.add(sentence) } }
        recording.add(receiver.sentence("GGA"))
        #expect(Decoded(recording).fixes.count == 3)
    }

    @Test func aPauseEndsAnEpochThatLacksItsLearntLastSentence() {
        var receiver = Receiver(cycle: ["GGA", "RMC"])
        var session = Session()
        for _ in 0..<5 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        #expect(session.feed(receiver.sentence("GGA")) == 0)
        session.decoder.endEpoch(into: &session.fixes)
        #expect(session.fixes.count == 6)
    }

    /// The first fix waits for the rest of its epoch after any number of cycles without a fix.
    @Test(
        arguments: [["GGA", "GSA", "RMC"], ["GGA", "GNS", "RMC"], ["RMC", "GSA", "GGA"], ["ZDA", "GGA", "RMC"]], [2, 9])
    func theFirstFixHasTheDateAndSpeedOfItsEpoch(_ cycle: [String], _ cycles: Int) throws {
        var receiver = Receiver(cycle: cycle)
        var session = Session()
        for _ in 0..<cycles {
            for sentence in receiver.epochWithoutFix() { #expect(session.feed(sentence) == 0) }
        }
        for _ in 0..<5 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        session.decoder.finish(into: &session.fixes)
        #expect(session.fixes.count == 5)
        #expect(session.fixes.allSatisfy { $0.time != nil && $0.speed != nil })
    }

    @Test func cyclesWithoutAFixAreNotLearnt() {
        var receiver = Receiver(cycle: ["GGA", "RMC"])
        var session = Session()
        for _ in 0..<5 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        for _ in 0..<9 { for sentence in receiver.epochWithoutFix() { #expect(session.feed(sentence) == 0) } }
        #expect(receiver.epoch().map { session.feed($0) } == [0, 1])
    }

    @Test func untimedSentencesAfterTheLastOneBelongToTheNextEpoch() throws {
        var receiver = Receiver(cycle: ["GGA", "GLL"])
        var session = Session()
        for _ in 0..<5 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        #expect(session.feed(receiver.sentence("VTG")) == 0)
        #expect(session.feed(receiver.sentence("GGA")) == 0)
        #expect(session.feed(receiver.sentence("GLL")) == 1)
        #expect(session.fixes.dropLast().allSatisfy { $0.track == nil })
        #expect(session.fixes.last?.track == .degrees(46.5))
    }

    @Test func aWrongLastSentenceIsUnlearntWithoutLosingOrRepeatingAFix() {
        var receiver = Receiver(cycle: ["GGA", "RMC"])
        var recording = Recording()
        for number in 0..<60 {
            receiver.cycle =
                number % 7 == 6 ? ["GGA", "RMC", "GLL", "ZDA"] : number % 11 == 10 ? ["GGA"] : ["GGA", "RMC"]
            for sentence in receiver.epoch() { recording.add(sentence) }
        }
        let decoded = Decoded(recording)
        #expect(decoded.fixes.count == 60)
        #expect(Set(decoded.times).count == 60)
    }

    @Test func aCycleThatChangesForGoodIsLearntAgain() {
        var receiver = Receiver(cycle: ["GGA", "RMC"])
        var session = Session()
        for _ in 0..<5 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        receiver.cycle = ["RMC", "GGA", "GLL"]
        for _ in 0..<10 { for sentence in receiver.epoch() { _ = session.feed(sentence) } }
        let given = receiver.epoch().map { session.feed($0) }
        #expect(given == [0, 0, 1])
        #expect(session.fixes.count == 16)
    }

    @Test func aRepeatedEpochMakesOneFix() {
        var receiver = Receiver(cycle: ["RMC", "GGA"])
        var recording = Recording()
        for _ in 0..<6 { for sentence in receiver.epoch() { recording.add(sentence) } }
        let frozen = receiver.epoch()
        for _ in 0..<1000 { for sentence in frozen { recording.add(sentence) } }
        for sentence in receiver.epoch() { recording.add(sentence) }
        #expect(Decoded(recording).fixes.count == 8)
    }

    @Test func aPauseEndsTheEpoch() {
        var receiver = Receiver(cycle: ["GGA", "RMC"])
        var session = Session()
        for sentence in receiver.epoch() { #expect(session.feed(sentence) == 0) }
        session.decoder.endEpoch(into: &session.fixes)
        #expect(session.fixes.count == 1)
        session.decoder.endEpoch(into: &session.fixes)
        #expect(session.fixes.count == 1)
        for sentence in receiver.epoch() { #expect(session.feed(sentence) == 0) }
        session.decoder.finish(into: &session.fixes)
        #expect(session.fixes.count == 2)
    }

    @Test func lateSentencesAfterAPauseMakeNoSecondFix() {
        let receiver = Receiver()
        var session = Session()
        _ = session.feed(receiver.sentence("GGA"))
        session.decoder.endEpoch(into: &session.fixes)
        _ = session.feed(receiver.sentence("RMC"))
        session.decoder.finish(into: &session.fixes)
        #expect(session.fixes.count == 1)
    }

    @Test(arguments: [
        (["GPRMC,100000,V,,,,,,,010526,,,N", "GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,"], 1),
        (["GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,", "GPRMC,100000,V,,,,,,,010526,,,N"], 1),
        (["GPGGA,100000,5222.3834,N,00453.5333,E,6,08,0.9,12.5,M,46.9,M,,", "GPRMC,100000,V,,,,,,,010526,,,N"], 0),
        (["GPGGA,100000,5222.3834,N,00453.5333,E,6,08,0.9,12.5,M,46.9,M,,", "AIRMC,100000,V,,,,,,,010526,,,N"], 1),
        (["GPGGA,100000,5222.3834,N,00453.5333,E,8,08,0.9,12.5,M,46.9,M,,", "GPGLL,,,,,100000,V,S"], 0),
        (["GPGGA,100000,,,,,0,00,,,M,,M,,", "GPRMC,100000,V,,,,,,,010526,,,N", "GPGLL,,,,,100000,V,N"], 0),
        (["GPVTG,45.0,T,,M,5.0,N,9.3,K,A", "GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,1.0,1.4"], 0),
        (["GPZDA,100000,01,05,2026,00,00", "GPGST,100000,1.0,,,,3.0,4.0,5.0"], 0),
    ])
    func theLastStatementOnWhetherThereIsAFixCounts(_ sentences: [String], _ fixes: Int) {
        let decoded = Decoded(Recording(sentences))
        #expect(decoded.fixes.count == fixes)
        #expect(decoded.reasons == [])
    }

    @Test func theMostPrecisePositionIsUsedAndAmongEqualsTheLast() {
        let decoded = Decoded(
            Recording([
                "GPGGA,100000,5222.38341,N,00453.53331,E,1,08,0.9,12.5,M,46.9,M,,",
                "GPGGA,100000,5222.38342,N,00453.53332,E,1,08,0.9,12.5,M,46.9,M,,",
                "GPRMC,100000,A,5222.3839,N,00453.5339,E,,,010526,,",
            ]))
        #expect(decoded.fixes.map(\.coordinate) == [Coordinate(latitude: 52.3730570, longitude: 4.8922220)])
    }

    @Test func positionsWithoutATimeAreSeparateFixes() {
        let decoded = Decoded(
            Recording(["GPGLL,5222.0,N,00453.0,E", "GPGLL,5223.0,N,00453.0,E", "GPGLL,5224.0,N,00453.0,E"]))
        #expect(decoded.times == ["none", "none", "none"])
    }

    @Test func timesThatGoBackSlightlyAreSeparateEpochsInOrder() {
        let decoded = Decoded(
            Recording([
                "GPRMC,100000.30,A,5222.3834,N,00453.5333,E,,,010526,,",
                "GPGLL,5222.3834,N,00453.5333,E,100001.303,A", "GPRMC,100001.30,A,5222.3834,N,00453.5333,E,,,010526,,",
            ]))
        #expect(
            decoded.times == ["2026-05-01T10:00:00.300Z", "2026-05-01T10:00:01.303Z", "2026-05-01T10:00:01.300Z"])
    }
}
