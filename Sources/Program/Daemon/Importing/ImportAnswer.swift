import Positioning
import RPC
import Time

/// The answer of `trips.import` to a part of a recording.
struct ImportAnswer {
    private let json: JSONValue

    /// Creates an answer; members that are missing or of another type count as empty.
    init(_ json: JSONValue) { self.json = json }

    /// The trips that ended in the part, each with its outcome.
    var trips: [JSONValue] { json["trips"].flatMap { [JSONValue](json: $0) } ?? [] }

    /// The number of stops that were added.
    var stops: Int { number("stops") }

    /// Whether it has stops, new ones or known ones.
    var hasStops: Bool { number("stops") > 0 || number("known_stops") > 0 }

    /// The points of the recording that were rejected so far.
    var rejected: LeftOut {
        var leftOut = LeftOut()
        if case .object(let reasons)? = json["rejected"] {
            for reason in reasons.names {
                leftOut.reasons.count(reason, times: reasons[reason].flatMap { Int(json: $0) } ?? 0)
            }
        }
        let first = json["first_rejected"]
        if case .string(let reason)? = first?["reason"], case .string(let text)? = first?["time"],
            let time = Timestamp(rfc3339: text)
        {
            leftOut.first = LeftOut.First(reason, at: time)
        }
        return leftOut
    }

    private func number(_ name: String) -> Int { json[name].flatMap { Int(json: $0) } ?? 0 }
}
