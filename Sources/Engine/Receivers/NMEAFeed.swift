import NMEA
import Positioning

/// Decodes the bytes of one NMEA connection.
struct NMEAFeed {
    private var decoder = NMEADecoder()
    private var rollover: WeekRollover
    private var sentences = 0
    private var counted = Tally()
    private var changes = 0

    /// Creates the feed of a connection.
    ///
    /// Its dates are corrected for the GPS week rollover, from the beginning.
    init(_ rollover: WeekRollover) { self.rollover = rollover.anew() }

    /// Processes the next input, and returns what it yields.
    mutating func process(_ input: ByteInput) -> [ReceiverInput] {
        var fixes: [Fix] = []
        switch input {
        case .bytes(let bytes), .datagram(let bytes, _):
            decoder.feed(bytes.span, into: &fixes)
            return inputs(fixes, ofBytes: true)
        case .pause:
            decoder.endEpoch(into: &fixes)
            return inputs(fixes, ofBytes: false)
        case .silence: return [.silence]
        }
    }

    /// Whether sentences with a position have come, valid or not.
    var givesPositions: Bool { decoder.positionSentences > 0 }

    /// Processes the end of the connection, and returns what is left.
    mutating func finish() -> [ReceiverInput] {
        var fixes: [Fix] = []
        decoder.finish(into: &fixes)
        return inputs(fixes, ofBytes: false)
    }

    private mutating func inputs(_ fixes: [Fix], ofBytes: Bool) -> [ReceiverInput] {
        var fixes = fixes
        for index in fixes.indices { rollover.correct(&fixes[index]) }
        var inputs: [ReceiverInput] = []
        let malformed = decoder.malformed
        if malformed != counted {
            inputs.append(.skipped(malformed.since(counted)))
            counted = malformed
        }
        if let line = decoder.sharedLine, line.changes > changes {
            changes = line.changes
            inputs.append(
                .notice(
                    "several receivers share its line (\(line.talkers.joined(separator: ", "))); now \(line.followed) is followed"
                ))
        }
        if decoder.sentences > sentences || !fixes.isEmpty {
            sentences = decoder.sentences
            inputs.append(.validData(fixes))
        } else if ofBytes {
            inputs.append(.noise)
        }
        return inputs
    }
}

extension Tally {
    /// Returns the counts added since an earlier state of the same tally.
    func since(_ earlier: Tally) -> Tally {
        var since = Tally()
        for (reason, count) in sorted where count > earlier[reason] {
            since.count(reason, times: count - earlier[reason])
        }
        return since
    }
}
