public import Positioning
internal import TextCoding
public import Time

/// Decodes fixes from NMEA 0183 sentences, as receivers send them and as loggers store them.
///
/// It reads RMC, GGA, GNS, GLL, VTG, GSA, GST and ZDA from any talker. It skips other sentences, proprietary ones and
/// AIS, as well as comments and text before a sentence in its line. All sentences with one time of day make up one fix.
/// The fix is complete when the next epoch begins. Once three equal cycles over two seconds or more have shown which
/// sentence is their last, it is complete with that sentence.
///
/// A sentence whose status says that there is no fix makes none, and takes none away that another sentence of the epoch
/// has given, unless the same talker had only estimated it. If the sentences of an epoch disagree otherwise, the last one
/// decides. If two talkers turn out to be two receivers on one line, one of them is followed; see ``sharedLine``. The
/// date comes from RMC or ZDA. An epoch without a date derives it from the last dated one, and midnight is taken into
/// account. While no date is known, fixes have no time. In a recording, they wait for a date and are dated back from it.
///
/// A sentence without a checksum is read only if it has exactly the fields of its type. A damaged sentence is skipped
/// as a whole and counted in ``malformed``.
///
/// Memory is bounded by the size of a piece and the longest sentence. The time is linear in the number of bytes.
public struct NMEADecoder: FixDecoder, Sendable {
    private var transcoder = UnicodeTranscoder()
    private var framer = SentenceFramer()
    private var fields = Fields()
    private var joiner: EpochJoiner
    private var counts = MalformedCounts()
    /// The number of valid sentences so far, including those of types that are not read.
    public private(set) var sentences = 0
    /// The number of sentences of types with a position so far, whether or not they have one.
    public private(set) var positionSentences = 0
    /// The transcoded text of a piece.
    ///
    /// It is a property so that its memory is reused.
    private var transcoded: [UInt8] = []

    /// Creates a decoder for one recording or one connection.
    ///
    /// - Parameters:
    ///   - date: the day on which the recording begins, for recordings without dates.
    ///   - awaitsDate: whether fixes before the first date wait for it, up to 86,400 of them. Do not use this for live
    ///     receivers.
    public init(date: CalendarDate? = nil, awaitsDate: Bool = false) {
        joiner = EpochJoiner(date: date, awaitsDate: awaitsDate)
    }

    /// The number of fixes that took their date from a later sentence.
    public var datedLater: Int { joiner.datedLater }

    /// The receivers that share the line, told apart by their talkers; `nil` while nothing shows that there are several.
    ///
    /// Fixes come from one of them at a time: another one is followed when the first has lost its fix, or when the
    /// other has been clearly more accurate for ten fixes.
    public var sharedLine: SharedLine? { joiner.shared }

    /// Decodes bytes, and appends the fixes that are complete.
    ///
    /// The pieces may be split anywhere without changing the fixes. Damage never stops the decoder.
    public mutating func feed(_ bytes: Span<UInt8>, into fixes: inout [Fix]) {
        var start = 0
        // Until the encoding is known, and if the text is not UTF-8, the bytes pass through the transcoder. Otherwise
        // they are read in place.
        while start < bytes.count, transcoder.encoding != .utf8 {
            let end = transcoder.encoding == nil ? start + 1 : bytes.count
            transcoded.removeAll(keepingCapacity: true)
            transcoder.feed(bytes.extracting(start..<end), into: &transcoded)
            readTranscoded(into: &fixes)
            start = end
        }
        read(bytes.extracting(start..<bytes.count), into: &fixes)
    }

    /// Ends the recording, and appends the last fix if there is one.
    public mutating func finish(into fixes: inout [Fix]) {
        transcoded.removeAll(keepingCapacity: true)
        transcoder.finish(into: &transcoded)
        readTranscoded(into: &fixes)
        if let frame = framer.finish() { read(frame, in: Span(), into: &fixes) }
        joiner.finish(into: &fixes)
    }

    /// Ends the epoch without waiting for its next sentence, and appends its fix if there is one.
    ///
    /// This is for live receivers, which pause after each cycle. Sentences of the epoch that still come afterwards are
    /// skipped.
    public mutating func endEpoch(into fixes: inout [Fix]) { joiner.end(byEnder: false, into: &fixes) }

    /// The counts of input skipped so far, by reason.
    ///
    /// - `checksum`: the checksum does not match, or its two digits are missing or invalid.
    /// - `cut`: another sentence began, or the recording ended, before this one was complete.
    /// - `date`: the date does not exist.
    /// - `fields`: the sentence has too few fields for its type or, without a checksum, not exactly the fields of its
    ///   type.
    /// - `garbled`: the sentence has a byte that is not printable ASCII, or neither an address nor a checksum.
    /// - `not-nmea`: the line contains no sentence, or binary data before one.
    /// - `number`: a number does not consist of plain decimal digits.
    /// - `position`: the position of a valid fix is missing, lacks a hemisphere, or is not on earth.
    /// - `time`: the time of day does not exist.
    /// - `too-long`: the sentence has more than 512 bytes.
    public var malformed: Tally { counts.tally }

    private mutating func readTranscoded(into fixes: inout [Fix]) {
        let text = transcoded
        read(text.span, into: &fixes)
    }

    private mutating func read(_ bytes: Span<UInt8>, into fixes: inout [Fix]) {
        var index = 0
        while true {
            if let sentence = framer.usualSentence(in: bytes, from: &index) {
                do throws(MalformedReason) {
                    guard sentence.isRight else { throw .checksum }
                    // The text goes on after the sentence, so that words can be read beyond its end.
                    try read(bytes.extracting(droppingFirst: sentence.start), asterisk: sentence.asterisk, into: &fixes)
                } catch {
                    counts.count(error)
                }
            } else if let frame = framer.next(in: bytes, from: &index) {
                read(frame, in: bytes, into: &fixes)
            } else {
                return
            }
        }
    }

    private mutating func read(_ frame: SentenceFramer.Frame, in bytes: Span<UInt8>, into fixes: inout [Fix]) {
        do throws(MalformedReason) {
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
    ) throws(MalformedReason) {
        try read(text, asterisk: try Sentence.check(text, framer.checksum, isWhole: isWhole), into: &fixes)
    }

    /// Reads a sentence that is complete.
    private mutating func read(
        _ text: Span<UInt8>, asterisk: Int?, into fixes: inout [Fix]
    ) throws(MalformedReason) {
        if let kind = Sentence.kind(text) {
            var report = Report(kind, talker: Sentence.talker(text))
            try Sentence.read(kind, text, asterisk: asterisk, &fields, &report)
            if kind.isPosition { positionSentences += 1 }
            joiner.join(&report, into: &fixes)
        }
        sentences += 1
    }
}
