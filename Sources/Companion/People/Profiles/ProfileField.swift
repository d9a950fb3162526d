import RPC
import Service
import Time

/// The optional fields of a profile; the order of the cases is that in which `missing` names them.
///
/// Everything that treats a field follows from its declaration: the parameter of `people.update`, its check, its column,
/// the member of a profile, and who sees it.
package enum ProfileField: Int, CaseIterable, Sendable {
    case phone, gender, born, website

    fileprivate struct Declaration: Sendable {
        /// The name in calls and answers, and the column of the table `person`.
        var name: StaticString
        /// What it is, in words that a sentence can begin with.
        var meaning: String
        /// What a text must be like, as the end of that sentence.
        var rule = ""
        /// The maximum number of characters, and the format, of what somebody types.
        var typed: (longest: Int, format: String?)
        /// The schema of what is stored.
        var stored = Schema.string
        /// Whether everybody sees it; otherwise only the person does.
        var isPublic = false
        /// Returns the text to store; throws a `Refusal` that names the field if it is not valid.
        var checked: @Sendable (_ text: String, _ now: Timestamp) throws(Refusal) -> String
    }

    private static let declarations = allCases.map { field in
        switch field {
        case .phone:
            Declaration(name: "phone", meaning: "The telephone number", typed: (PersonalText.longestPhone, nil)) {
                text, _ throws(Refusal) in try PersonalText.phone(text)
            }
        case .gender:
            Declaration(
                name: "gender", meaning: "The gender", rule: ": \(PersonalText.genders.joined(separator: ", "))",
                typed: (20, nil), stored: .choice(PersonalText.genders)
            ) { text, _ throws(Refusal) in try PersonalText.gender(text) }
        case .born:
            Declaration(
                name: "born", meaning: "The day of birth", rule: ", as YYYY-MM-DD, not in the future",
                typed: (10, "date"), stored: .string(length: 10...10, format: "date")
            ) { text, now throws(Refusal) in try PersonalText.born(text, now: now) }
        case .website:
            Declaration(
                name: "website", meaning: "The address of a website", rule: ", beginning with https:// or http://",
                typed: (PersonalText.longestWebsite, nil), isPublic: true
            ) { text, _ throws(Refusal) in try PersonalText.website(text) }
        }
    }

    fileprivate var declared: Declaration { Self.declarations[rawValue] }

    /// The name in calls and answers, and the column of the table `person`.
    var name: String { "\(declared.name)" }

    /// Whether everybody sees it; otherwise only the person does.
    var isPublic: Bool { declared.isPublic }

    /// The columns of all fields, in their order.
    static let columns = allCases.map(\.name)

    /// The parameters of the calls that write the fields.
    static var parameters: [Field] {
        declarations.map { field in
            let schema = Schema.string(length: 0...field.typed.longest, format: field.typed.format)
            return .optional("\(field.name)", schema, "\(field.meaning)\(field.rule).")
        }
    }

    /// Returns the members of a profile that everybody sees, or those that only the person sees.
    ///
    /// - Parameter details: Returns the fields that the viewer sees; `nil` if they see none.
    static func members<Owner>(
        isPublic: Bool, of details: @escaping @Sendable (Owner) -> Person.Details?
    ) -> [Member<Owner>] {
        allCases.filter { $0.isPublic == isPublic }.map { field in
            let doc = isPublic ? "\(field.declared.meaning)." : "\(field.declared.meaning); only for the person."
            return .optional(field.name, .text(field.declared.stored), doc) { details($0)?[field] }
        }
    }

    /// Returns the texts that somebody gives for fields, each `nil` if it clears its field.
    ///
    /// - Throws: `Refusal` (`.invalidValue`) that names the first field whose text is not valid.
    static func given(
        in members: JSONObject, at now: Timestamp
    ) throws(Refusal) -> [(field: ProfileField, text: String?)] {
        var given: [(field: ProfileField, text: String?)] = []
        for field in allCases {
            guard let text: String = try members.value(field.name) else { continue }
            given.append((field, text.isEmpty ? nil : try field.declared.checked(text, now)))
        }
        return given
    }
}

extension Person {
    /// The optional fields of a profile, each `nil` if the person has not filled it in.
    public struct Details: Hashable, Sendable {
        private var texts: [String?]

        /// Reads the fields from a row of the table `person`.
        init(_ row: NamedRow) { texts = ProfileField.allCases.map { row.text($0) } }

        /// The text in a field.
        package subscript(field: ProfileField) -> String? {
            get { texts[field.rawValue] }
            set { texts[field.rawValue] = newValue }
        }
    }

    /// The names of the optional fields that the person has not filled in.
    package var missing: [String] { ProfileField.allCases.filter { details[$0] == nil }.map(\.name) }
}

extension NamedRow {
    fileprivate func text(_ field: ProfileField) -> String? { self[field.declared.name] }
}
