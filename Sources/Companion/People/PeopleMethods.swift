#if Companion
public import Callers
package import GRDB
public import RPC
public import Service
package import Store

/// The methods about people: accounts, sessions, profiles, friends, and who follows whom.
public struct PeopleMethods: Sendable {
    package let context: ServiceContext
    package let accounts: Accounts

    package var store: LocationDatabase { context.store }
    package var editor: Editor { context.editor }

    /// Creates the methods for a daemon's service context and its shared account state.
    public init(_ context: ServiceContext, _ accounts: Accounts) {
        self.context = context
        self.accounts = accounts
    }

    /// All methods about people, in the order in which the daemon lists them.
    public var all: [Method<Principal>] {
        signingUp + signingIn + sessions + users + administering + profiles + searching + following + friends + inviting
    }

    static let person = Parameter<String>.required(
        "person", .string(length: 1...PersonalText.longestUsername), "The person's username.")
    static let ofPerson = Parameter<String?>.optional(
        "person", .string(length: 1...PersonalText.longestUsername), "The person's username, yours by default.")
    static let password = Schema.secret(length: 1...Passwords.longest)
    static let code = Parameter<String>.required("code", codeSchema, "The mailed code.")
    static let codeSchema = Schema.string(length: 1...32)

    /// The text to search for in usernames and names, or `nil` to list everybody.
    static let text = Parameter<String?>.optional(
        "text", .string(length: 0...200),
        "The text to find in usernames and names, ignoring case and accents; everybody by default."
    ).map { text throws(Refusal) in
        guard text?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw Refusal.invalid("text", "must not have control characters")
        }
        return text
    }

    /// Returns a required parameter `email`, a mail address that is converted to lower case.
    static func email(_ doc: String) -> Parameter<String> {
        Parameter.required("email", emailSchema, doc).map { text throws(Refusal) in try PersonalText.email(text) }
    }
    static let emailSchema = Schema.string(length: 1...PersonalText.longestEmail)

    /// Returns the shape of an answer with one text member, such as the username of the person that the call was about.
    static func named(_ name: String, _ doc: String) -> AnswerShape<String> {
        .object { Member(name, .text, doc) { $0 } }
    }

    /// The maximum number of people on one page.
    static let largestPage = 1000

    /// Returns the signed-in person.
    ///
    /// - Throws: `Refusal` (`.notAllowed`) if nobody is signed in, or if the account was removed meanwhile.
    package func caller(_ call: Call<Principal>, in db: Database) throws -> Person {
        guard let person = try People.find(try call.person(), in: db) else {
            throw Refusal.notAllowed("You are not signed in. Call people.signIn first.")
        }
        return person
    }

    /// Returns the person with an id, or the caller if `id` is `nil`.
    func personOrCaller(_ call: Call<Principal>, _ id: String?, in db: Database) throws -> Person {
        guard let id else { return try caller(call, in: db) }
        return try People.get(id, in: db)
    }
}
#endif
