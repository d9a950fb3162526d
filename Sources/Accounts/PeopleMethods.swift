public import EventStream
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

    /// The methods over a store.
    public init(_ context: ServiceContext, _ accounts: Accounts) {
        self.context = context
        self.accounts = accounts
    }

    /// The methods.
    public var all: [Method<Principal>] {
        signingUp + signingIn + sessions + users + administering + profiles + searching + following + friends + inviting
    }

    static let person = Parameter<String>.required(
        "person", .string(length: 1...PersonalText.longestUsername), "The person's username.")
    static let ofPerson = Parameter<String?>.optional(
        "person", .string(length: 1...PersonalText.longestUsername), "Whose; yours if left out.")
    static let password = Schema.string(length: 1...Passwords.longest)
    static let code = Parameter<String>.required("code", codeSchema, "The code that was mailed.")
    static let codeSchema = Schema.string(length: 1...32)

    /// What is searched for among people; nil for everybody.
    static let text = Parameter<String?>.optional(
        "text", .string(length: 0...200),
        "Only those with this in their username or name, in any case, with or without accents."
    ).map { text throws(Refusal) in
        guard text?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw Refusal.invalid("text", "must not have control characters")
        }
        return text
    }

    /// A mail address, in small letters.
    static func email(_ doc: String) -> Parameter<String> {
        Parameter.required("email", emailSchema, doc).map { text throws(Refusal) in try PersonalText.email(text) }
    }
    static let emailSchema = Schema.string(length: 1...PersonalText.longestEmail)

    /// The answer that names who or what was meant.
    static func named(_ name: String, _ doc: String) -> Shape<String> { .object { Member(name, .text, doc) { $0 } } }

    /// The most people in one page.
    static let largestPage = 1000

    /// The person who is signed in.
    ///
    /// - Throws: 2 where nobody is signed in, or no longer.
    package func caller(_ call: Call<Principal>, in db: Database) throws -> Person {
        guard let person = try People.find(try call.person(), in: db) else {
            throw Refusal.notAllowed("Nobody is signed in; people.signIn does that.")
        }
        return person
    }

    /// The person of an id; the caller where none is given.
    func personOrCaller(_ call: Call<Principal>, _ id: String?, in db: Database) throws -> Person {
        guard let id else { return try caller(call, in: db) }
        return try People.get(id, in: db)
    }
}
