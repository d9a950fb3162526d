#if Companion
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
            .required("terms", .boolean, "Whether you accept the terms, without which no account is created."),
            .optional(
                "username", .string(length: 1...PersonalText.longestUsername),
                "The username, of letters, digits, ., _ and -, stored in lower case; made from the name by default."),
            .optional(
                "email_again", PeopleMethods.emailSchema, "The mail address again, if the form asks for it twice."),
            .optional(
                "password", PeopleMethods.password,
                "A password of at least 8 characters; without it, email_again is required."
            ),
            .optional("password_again", PeopleMethods.password, "The password again; required if password is given."),
            .optional(
                "form", .choice(of: Asked.self),
                """
                The form that was filled in: `password` requires a username and the password twice, `code` the address \
                twice. By default, either the password or the address twice is enough, and the username is optional.
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
                    "password", "is missing; give one, or give email_again as well to sign in with mailed codes")
            }
        }
        guard try members.value("terms") ?? false else { throw Refusal.invalid("terms", "must be accepted") }
    }

    /// Returns the chosen password, which must be given twice, or `nil` if neither field is present.
    private static func password(_ members: JSONObject) throws(Refusal) -> String? {
        let password: String? = try members.value("password")
        let again: String? = try members.value("password_again")
        guard password != nil || again != nil else { return nil }
        guard let password else { throw Refusal.invalid("password", "is missing, but password_again is given") }
        try Passwords.check(password, "password")
        guard let again else { throw Refusal.invalid("password_again", "is missing, but password is given") }
        guard again == password else { throw Refusal.invalid("password_again", "must be the same password") }
        return password
    }
}
#endif
