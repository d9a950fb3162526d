import Positioning
import RPC
import TextCoding
package import Time
package import WebClient

/// What the centre has of a log, which it answers to each batch:
/// `{"log":…,"seq":…,"chain":…,"traces":{"done":…,"next":…,"time":…}}`.
package struct UplinkAnswer: Hashable, Sendable {
    /// The chain up to the last event that is here with all before it.
    package var chain: EventChain
    /// How far the traces are; `nil` if the centre takes none.
    package var traces: TracePlace?

    /// The answer as it is sent.
    package var bytes: [UInt8] {
        JSONText.object { json in
            json.member("log", chain.log)
            json.member("seq", chain.seq)
            json.member("chain", chain.text)
            guard let traces else { return }
            json.object("traces") { json in
                json.member("done", traces.done)
                json.member("next", traces.next)
                json.member("time", traces.time?.description)
            }
        }.bytes
    }

    /// Creates an answer from its parts.
    package init(chain: EventChain, traces: TracePlace? = nil) {
        self.chain = chain
        self.traces = traces
    }

    /// Reads the answer of the centre.
    ///
    /// - Throws: ``WebFailure`` if it is none.
    package init(_ bytes: [UInt8]) throws(WebFailure) {
        guard let value = try? JSONValue(parsing: bytes.span), case .string(let log)? = value["log"],
            case .integer(let seq)? = value["seq"], (0...EventChain.greatest).contains(seq),
            case .string(let text)? = value["chain"], let digest = HexDigest.digest(text)
        else { throw WebFailure("has answered something else than an acknowledgement") }
        chain = EventChain(log: log, seq: seq, digest: digest)
        guard let member = value["traces"] else { return }
        guard case .integer(let done)? = member["done"], (0...EventChain.greatest).contains(done) else {
            throw WebFailure("has answered something else than an acknowledgement")
        }
        traces = TracePlace(done: done)
        if case .integer(let next)? = member["next"], let time = HandedTrip.time(member, "time") {
            traces?.next = next
            traces?.time = time
        }
    }
}

/// How much the centre has of the traces of the trips that a log tells of.
package struct TracePlace: Hashable, Sendable {
    /// The number of the last event whose trip's trace is there as a whole.
    package var done: Int64
    /// The number of the event whose trip's trace is there in part; `nil` if there is none.
    package var next: Int64?
    /// The time of the last point of that part.
    package var time: Timestamp?

    /// Creates a place.
    package init(done: Int64, next: Int64? = nil, time: Timestamp? = nil) {
        (self.done, self.next, self.time) = (done, next, time)
    }

    /// Whether a part is the one that the centre needs.
    ///
    /// The first part of another trip is such: the board knows best which trips have a trace.
    package func takes(_ batch: TraceBatch) -> Bool {
        guard batch.seq > done else { return false }
        return next == batch.seq ? batch.after == time : batch.after == nil
    }

    /// The place after a part.
    package func following(_ batch: TraceBatch) -> TracePlace {
        guard batch.isFollowed, let time = batch.points.last?.time else { return TracePlace(done: batch.seq) }
        return TracePlace(done: done, next: batch.seq, time: time)
    }
}
