import RPC
import Service

/// The validated fields of a sign-up, in the form in which they are stored.
struct SignUpForm: Sendable {
    let firstName: String
    let lastName: String
    let email: String
    /// The chosen username, or `nil` to make one from the name.
    let username: String?
    /// The password, or `nil` if the person does not set one yet.
    let password: String?

    /// The fields as one parameter.
    static let parameter = Parameter<SignUpForm>(fields) { members throws(Refusal) in try SignUpForm(members) }

    /// The form that was filled in, which decides the fields that are required besides names and address.
    private enum Asked: String, CaseIterable {
        /// A form with a username, and a password entered twice.
        case password
        /// A form with the address entered twice. Without a password, the person signs in by mailed codes.
        case code
    }

    private static let fields: [Field] = {
        let name = Schema.string(length: 1...PersonalText.longestName)
        return [
            .required("first_name", name, "The first name."),
            .required("last_name", name, "The last name."),
            .required("email", PeopleMethods.emailSchema, "The mail address."),
            .required("terms", .boolean, "Whether the terms are accepted; nothing is made where not."),
            .optional(
                "username", .string(length: 1...PersonalText.longestUsername),
                "Letters, digits, ., _ and -; small letters are made of it. Made from the name if left out."),
            .optional(
                "email_again", PeopleMethods.emailSchema, "The address again, where a form asks for it twice."),
            .optional(
                "password", PeopleMethods.password,
                "A password of at least 8 characters; left out, there is none yet, and the address is given twice."),
            .optional("password_again", PeopleMethods.password, "The password again, where there is one."),
            .optional(
                "form", .choice(of: Asked.self),
                """
                Which form was filled in: `password` has a username and a password twice, `code` the address twice. Left \
                out, either a password or the address twice will do, and the username may be left out.
                """),
        ]
    }()

    private init(_ members: JSONObject) throws(Refusal) {
        func text(_ name: String) throws(Refusal) -> String {
            guard let text: String = try members.value(name) else { throw Refusal.invalid(name, "is missing") }
            return text
        }
        firstName = try PersonalText.name(try text("first_name"), "first_name")
        lastName = try PersonalText.name(try text("last_name"), "last_name")
        let username: String? = try members.value("username")
        self.username = if let username { try PersonalText.username(username) } else { nil }
        email = try PersonalText.email(try text("email"))
        if let again: String = try members.value("email_again"), (try? PersonalText.email(again)) != email {
            throw Refusal.invalid("email_again", "must be the same address")
        }
        password = try Self.password(members)
        let asked: Asked? = try members.choice("form")
        if asked == .password {
            guard username != nil else { throw Refusal.invalid("username", "is missing") }
            guard password != nil else { throw Refusal.invalid("password", "is missing") }
        }
        if asked == .code || password == nil {
            guard members["email_again"] != nil else {
                guard asked == nil else { throw Refusal.invalid("email_again", "is missing") }
                throw Refusal.invalid(
                    "password", "is missing; or give the address twice, email_again too, and sign in by mailed codes")
            }
        }
        guard try members.value("terms") ?? false else { throw Refusal.invalid("terms", "must be accepted") }
    }

    /// Returns the chosen password, which must be given twice, or `nil` if neither field is present.
    private static func password(_ members: JSONObject) throws(Refusal) -> String? {
        let password: String? = try members.value("password")
        let again: String? = try members.value("password_again")
        guard password != nil || again != nil else { return nil }
        guard let password else { throw Refusal.invalid("password", "is missing, for password_again is given") }
        try PersonalText.password(password, "password")
        guard let again else { throw Refusal.invalid("password_again", "is missing, for password is given") }
        guard again == password else { throw Refusal.invalid("password_again", "must be the same password") }
        return password
    }
}
