public import Positioning
internal import TextCoding

/// Reads fixes from NMEA 0183 sentences, as receivers send them and as loggers keep them.
///
/// It reads RMC, GGA, GNS, GLL, VTG, GSA, GST and ZDA of any talker; other sentences, proprietary ones and AIS are
/// passed over, and so are comments and what stands before a sentence in its line. All sentences of one time of day
/// make up one fix. It is given as soon as the next epoch begins or, once three equal cycles over two seconds or more
/// have shown which sentence is their last, on that sentence.
///
/// A sentence whose status says that there is no fix makes none. Where sentences of an epoch differ in that, the
/// last word counts. The date is taken from RMC or ZDA as it is read; an epoch without one takes it from the last
/// dated one, midnight included. Where no date is known yet, the fix has no time; in a recording, it waits for one and
/// is dated back from it.
///
/// A sentence without checksum is read only if it has exactly the fields of its type. A damaged sentence is skipped
/// as a whole and counted in ``malformed``.
///
/// Memory is bounded by the piece fed and the longest sentence; time is linear in the bytes.
public struct NMEADecoder: FixDecoder, Sendable {
    private var transcoder = UnicodeTranscoder()
    private var framer = SentenceFramer()
    private var joiner: EpochJoiner
    private var counts = MalformationCounts()
    /// How many sentences were sound so far, those passed over included.
    public private(set) var sentences = 0
    /// The text of a piece that had to be transcoded; kept for its memory.
    private var transcoded: [UInt8] = []

    /// A decoder for one recording or one connection.
    ///
    /// - Parameters:
    ///   - date: the day on which the recording begins, for one whose sentences carry none.
    ///   - awaitsDate: whether fixes before the first date wait for it, up to 86,400 of them; not for live receivers.
    public init(date: CalendarDate? = nil, awaitsDate: Bool = false) {
        joiner = EpochJoiner(date: date, awaitsDate: awaitsDate)
    }

    /// How many fixes took their date from a sentence that came later.
    public var datedLater: Int { joiner.datedLater }

    /// Reads on, and appends the fixes that are complete.
    ///
    /// The pieces may be cut anywhere; the fixes are the same. Nothing is damaged beyond reading on.
    public mutating func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) {
        var start = 0
        // Until the encoding is known, or where the text is not UTF-8, the bytes go through the transcoder; after
        // that they are read where they are.
        while start < bytes.count, transcoder.encoding != .utf8 {
            let end = transcoder.encoding == nil ? start + 1 : bytes.count
            transcoded.removeAll(keepingCapacity: true)
            transcoder.feed(bytes.extracting(start..<end), into: &transcoded)
            readTranscoded(into: &fixes)
            start = end
        }
        read(bytes.extracting(start..<bytes.count), into: &fixes)
    }

    /// The recording ends here: appends the last fix, if there is one.
    public mutating func finish(into fixes: inout [Fix]) {
        transcoded.removeAll(keepingCapacity: true)
        transcoder.finish(into: &transcoded)
        readTranscoded(into: &fixes)
        if let frame = framer.finish() { read(frame, in: Span(), into: &fixes) }
        joiner.finish(into: &fixes)
    }

    /// Ends the epoch without waiting for its next sentence, and appends its fix, if there is one.
    ///
    /// It is for live receivers, which pause after each cycle. Sentences of that epoch which come after all are
    /// passed over.
    public mutating func endEpoch(into fixes: inout [Fix]) { joiner.end(byEnder: false, into: &fixes) }

    /// What was skipped so far, by reason.
    ///
    /// - `checksum`: the checksum does not match, or its two digits are missing or none.
    /// - `cut`: another sentence began, or the recording ended, before this one was complete.
    /// - `date`: a date that no calendar has.
    /// - `fields`: too few fields for the type, or without a checksum not exactly its fields.
    /// - `garbled`: a sentence with a byte that is not printable ASCII, or without both address and checksum.
    /// - `not-nmea`: a line that holds no sentence, or bytes before one that are no text.
    /// - `number`: a number that is not plain decimal digits.
    /// - `position`: a valid fix whose position is missing, lacks a hemisphere, or lies nowhere on earth.
    /// - `time`: a time of day that no clock shows.
    /// - `too-long`: a sentence of more than 512 bytes.
    public var malformed: Tally { counts.tally }

    private mutating func readTranscoded(into fixes: inout [Fix]) {
        let text = transcoded
        read(text.span, into: &fixes)
    }

    private mutating func read(_ bytes: Span<UInt8>, into fixes: inout [Fix]) {
        var index = 0
        while let frame = framer.next(in: bytes, from: &index) { read(frame, in: bytes, into: &fixes) }
    }

    private mutating func read(_ frame: SentenceFramer.Frame, in bytes: Span<UInt8>, into fixes: inout [Fix]) {
        do throws(Malformation) {
            switch frame {
            case .sentence(let place, let isWhole):
                try read(bytes.extracting(place), isWhole: isWhole, into: &fixes)
            case .heldSentence(let isWhole):
                let text = framer.held
                try read(text.span, isWhole: isWhole, into: &fixes)
            case .malformed(let reason):
                throw reason
            }
        } catch {
            counts.count(error)
        }
    }

    private mutating func read(
        _ text: Span<UInt8>, isWhole: Bool, into fixes: inout [Fix]
    ) throws(Malformation) {
        let asterisk = try Sentence.check(text, framer.checksum, isWhole: isWhole)
        if let kind = Sentence.kind(text) {
            let report = try Sentence.read(kind, Fields(text, asterisk: asterisk), text)
            joiner.join(report, into: &fixes)
        }
        sentences += 1
    }
}
