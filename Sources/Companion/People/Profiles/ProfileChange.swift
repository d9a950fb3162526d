#if Companion
import RPC
import Service
import Time

/// The changes that a person makes to their profile.
struct ProfileChange: Sendable {
    private var firstName: String?
    private var lastName: String?
    private var details: [(field: ProfileField, text: String?)] = []

    /// Returns the fields as one parameter.
    ///
    /// Fields that are omitted stay unchanged.
    static func parameter(now: @escaping @Sendable () -> Timestamp) -> Parameter<ProfileChange> {
        Parameter(fields) { members throws(Refusal) in try ProfileChange(members, now: now()) }
    }

    private static let fields: [Field] =
        [
            .optional("first_name", .string(length: 1...PersonalText.longestName), "The first name."),
            .optional(
                "last_name", .string(length: 0...PersonalText.longestName),
                "The last name; empty if you have only one name."),
        ] + ProfileField.parameters

    private init(_ members: JSONObject, now: Timestamp) throws(Refusal) {
        if let name: String = try members.value("first_name") {
            firstName = try PersonalText.name(name, "first_name")
        }
        if let name: String = try members.value("last_name") {
            lastName = name.isEmpty ? "" : try PersonalText.name(name, "last_name")
        }
        details = try ProfileField.given(in: members, at: now)
    }

    /// Applies the changes to a person.
    func apply(to person: inout Person) {
        person.firstName = firstName ?? person.firstName
        person.lastName = lastName ?? person.lastName
        for (field, text) in details { person.details[field] = text }
    }
}
#endif
