package import Geodesy
package import RPC
import Store
import TextCoding
package import Time

extension Schema {
    /// The maximum length of a device's name in characters.
    ///
    /// A new name is limited to as many bytes of UTF-8.
    package static let longestDeviceName = 256

    package static let deviceName = Schema.string(length: 1...longestDeviceName)
    package static let latitude = Schema.number(in: -90...90)
    package static let longitude = Schema.number(in: -180...180)
    package static let time = Schema.string(length: 1...64, format: "date-time")
}

extension Field {
    /// Returns the field `limit`, the maximum number of elements in a page.
    package static func limit(upTo most: Int, default usual: Int) -> Field {
        .optional("limit", .integer(in: 1...Int64(most)), "The maximum number of results, \(usual) by default.")
    }

    /// The field `after`, the cursor where the previous page ended.
    package static let after = Field.optional(
        "after", .string(length: 1...Cursor.longest), "The `next` of the previous page; omitted for the first page.")

    /// The field `next`, the cursor of the next page.
    package static let next = Field.optional(
        "next", .string(length: 1...Cursor.longest),
        "The cursor to pass as `after` for the next page; absent on the last page.")
}

extension Parameter {
    /// Returns a parameter for an optional time.
    package static func time(_ name: String, _ doc: String) -> Parameter where Value == Timestamp? {
        Parameter([.optional(name, .time, doc)]) { members throws(Refusal) in
            try members.value(name).map { text throws(Refusal) in try Timestamp(parameter: name, text) }
        }
    }

    /// Returns a parameter for a required time.
    package static func requiredTime(_ name: String, _ doc: String) -> Parameter where Value == Timestamp {
        Parameter([.required(name, .time, doc)]) { members throws(Refusal) in
            guard let text: String = try members.value(name) else { throw Refusal.invalid(name, "is missing") }
            return try Timestamp(parameter: name, text)
        }
    }

    /// Returns a parameter for the place at `lat` and `lon`.
    ///
    /// Its value is `nil` if both are omitted.
    package static func place(_ north: String, _ east: String) -> Parameter where Value == Coordinate? {
        let fields: [Field] = [.optional("lat", .latitude, north), .optional("lon", .longitude, east)]
        return Parameter(fields) { members throws(Refusal) in
            let (latitude, longitude): (Double?, Double?) = (try members.value("lat"), try members.value("lon"))
            guard latitude != nil || longitude != nil else { return nil }
            guard let latitude else { throw Refusal.invalid("lat", "is missing, but lon is given") }
            guard let longitude else { throw Refusal.invalid("lon", "is missing, but lat is given") }
            guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
                throw Refusal.invalid("lat", "must be a place on Earth together with lon")
            }
            return place
        }
    }

    /// Returns a required parameter for the identifier of something new.
    ///
    /// It throws error 4 (invalid value) if the text is not a ``Store/Identifier`` of at most `bytes` bytes.
    package static func identifier(
        _ name: String, _ schema: Schema, atMost bytes: Int, _ doc: String
    ) -> Parameter where Value == String {
        Parameter<String>.required(name, schema, doc).map { text throws(Refusal) in
            do throws(Identifier.Flaw) {
                return try Identifier(text, atMost: bytes).text
            } catch {
                throw Refusal.invalid(name, "is \(error.reason)")
            }
        }
    }

    /// Returns a parameter for a text of several lines, trimmed.
    ///
    /// Its value is `nil` if the text is omitted or blank.
    ///
    /// It throws error 4 (invalid value) if the text is longer than `bytes` bytes, or has control characters other
    /// than tabs and line breaks.
    package static func prose(
        _ name: String, atMost bytes: Int, _ doc: String
    ) -> Parameter where Value == String? {
        Parameter<String?>.optional(name, .string(length: 0...bytes), doc).map { given throws(Refusal) in
            try given.flatMap { text throws(Refusal) in try Prose.clean(text, name, atMost: bytes) }
        }
    }
}

extension Timestamp {
    /// Parses the time that a parameter gives.
    fileprivate init(parameter name: String, _ text: String) throws(Refusal) {
        guard let time = Timestamp(rfc3339: text) else {
            throw Refusal.invalid(name, "must be an RFC 3339 time such as 2026-05-01T10:00:00Z")
        }
        self = time
    }
}

extension Parameter where Value == String {
    /// The parameter `subject`, which names any subject that people can react to.
    package static var subject: Parameter {
        .required(
            "subject", .string(length: 3...SubjectID.longest),
            "The subject, as KIND/ID, such as sight/old-mill.")
    }
}

extension AnswerShape where Value == Timestamp {
    /// A time in the format of RFC 3339, in UTC with milliseconds.
    package static var time: AnswerShape { AnswerShape(.time) { time, json in json.plain { time.append(to: &$0) } } }
}
