package import Geodesy
package import Positioning
package import RPC
import Store

/// Parameters that several methods have.
package enum Parameter {
    /// The longest name of a device, in characters; of a new one, in bytes of UTF-8.
    package static let longestName = 256

    package static let name = Schema.string(length: 1...longestName)
    package static let latitude = Schema.number(in: -90...90)
    package static let longitude = Schema.number(in: -180...180)
    package static let time = Schema.string(length: 1...64, format: "date-time")

    /// How many elements a page has.
    package static func limit(upTo most: Int, usually usual: Int) -> Field {
        .optional("limit", .integer(in: 1...Int64(most)), "At most so many, \(usual) if left out.")
    }

    /// Where the page before ended.
    package static let after = Field.optional(
        "after", .string(length: 1...Cursor.longest), "The `next` of the page before; left out for the first page.")

    /// Where the next page begins.
    package static let next = Field.optional(
        "next", .string(length: 1...Cursor.longest),
        "To be given as `after` for the next page; left out where this is the last.")
}

extension Call {
    /// What something is to be known by.
    ///
    /// - Throws: 4 where the text is no ``Store/Identifier``.
    package func identifier(_ name: String, atMost bytes: Int) throws(RPCError) -> String {
        let text: String = try value(name)
        do {
            return try Identifier(text, atMost: bytes).text
        } catch {
            throw RPCError.invalid(name, "is \(error.reason)")
        }
    }

    /// The place at `lat` and `lon`; nil where both are left out.
    package func place() throws(RPCError) -> Coordinate? {
        let latitude: Double? = try optional("lat")
        let longitude: Double? = try optional("lon")
        guard latitude != nil || longitude != nil else { return nil }
        guard let latitude else { throw RPCError.invalid("lat", "is missing, for lon is given") }
        guard let longitude else { throw RPCError.invalid("lon", "is missing, for lat is given") }
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            throw RPCError.invalid("lat", "and lon are no place on earth")
        }
        return place
    }

    /// A time; nil where it is left out.
    package func time(_ name: String) throws(RPCError) -> Timestamp? {
        guard let text: String = try optional(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw RPCError.invalid(name, "must be a time as RFC 3339 writes it, such as 2026-05-01T10:00:00Z")
        }
        return time
    }

    /// How many elements are asked for.
    package func limit(usually usual: Int) throws(RPCError) -> Int { try optional("limit") ?? usual }
}
