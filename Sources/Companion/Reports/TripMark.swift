import RPC
import Service
import Store
import Time

/// A trip's place in a list of trips, the newest first.
struct TripMark: CursorKey {
    let mark: TripQuery.Mark

    var values: [JSONValue] { [.integer(mark.start.milliseconds), .string(mark.id)] }

    init(_ mark: TripQuery.Mark) { self.mark = mark }

    init?(_ values: [JSONValue]) {
        guard values.count == 2, let start = Int64(json: values[0]).flatMap(Timestamp.init(exactly:)),
            let id = String(json: values[1])
        else { return nil }
        mark = TripQuery.Mark(start: start, id: id)
    }
}
