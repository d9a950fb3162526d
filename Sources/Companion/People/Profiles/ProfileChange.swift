#if Companion
import RPC
import Service
import Time

/// The changes that a person makes to their profile.
struct ProfileChange: Sendable {
    private var firstName: String?
    private var lastName: String?
    private var details: [Detail] = []

    private struct Detail: Sendable {
        var path: any WritableKeyPath<Person.Details, String?> & Sendable
        /// The new text, or `nil` to remove the detail.
        var text: String?
    }

    /// Returns the fields as one parameter.
    ///
    /// Fields that are omitted stay unchanged.
    static func parameter(now: @escaping @Sendable () -> Timestamp) -> Parameter<ProfileChange> {
        Parameter(fields) { members throws(Refusal) in try ProfileChange(members, now: now()) }
    }

    private static let fields: [Field] = [
        .optional("first_name", .string(length: 1...PersonalText.longestName), "The first name."),
        .optional(
            "last_name", .string(length: 0...PersonalText.longestName),
            "The last name; empty if you have only one name."),
        .optional("phone", .string(length: 0...PersonalText.longestPhone), "The telephone number."),
        .optional(
            "gender", .string(length: 0...20), "The gender: \(PersonalText.genders.joined(separator: ", "))."),
        .optional(
            "born", .string(length: 0...10, format: "date"), "The day of birth, as YYYY-MM-DD, not in the future."),
        .optional(
            "website", .string(length: 0...PersonalText.longestWebsite),
            "The address of a website, beginning with https:// or http://."),
    ]

    private init(_ members: JSONObject, now: Timestamp) throws(Refusal) {
        if let name: String = try members.value("first_name") {
            firstName = try PersonalText.name(name, "first_name")
        }
        if let name: String = try members.value("last_name") {
            lastName = name.isEmpty ? "" : try PersonalText.name(name, "last_name")
        }
        func detail(
            _ name: String, _ path: any WritableKeyPath<Person.Details, String?> & Sendable,
            _ read: (String) throws(Refusal) -> String
        ) throws(Refusal) {
            guard let text: String = try members.value(name) else { return }
            details.append(Detail(path: path, text: text.isEmpty ? nil : try read(text)))
        }
        try detail("phone", \.phone, PersonalText.phone)
        try detail("gender", \.gender, PersonalText.gender)
        try detail("born", \.born) { text throws(Refusal) in try PersonalText.born(text, now: now) }
        try detail("website", \.website, PersonalText.website)
    }

    /// Applies the changes to a person.
    func apply(to person: inout Person) {
        person.firstName = firstName ?? person.firstName
        person.lastName = lastName ?? person.lastName
        for detail in details { person.details[keyPath: detail.path] = detail.text }
    }
}
#endif
