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

    /// What is searched for among people; nil for everybody.
    static func searched(_ call: Call<Principal>) throws(RPCError) -> String? {
        guard let text: String = try call.optional("text") else { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .invalid("text", "must not have control characters")
        }
        return text
    }

    /// The methods.
    public var all: [Method<Principal>] {
        signingUp + signingIn + sessions + users + profiles + searching + following + friends
    }

    package static let person = Field.required(
        "person", .string(length: 1...PersonalText.longestUsername), "The person's username.")
    static let ofPerson = Field.optional(
        "person", .string(length: 1...PersonalText.longestUsername), "Whose; yours if left out.")
    static let email = Schema.string(length: 1...PersonalText.longestEmail)
    static let password = Schema.string(length: 1...Passwords.longest)
    package static let code = Schema.string(length: 1...32)
    package static let text = Field.optional(
        "text", .string(length: 0...200), "Only those with this in their username or name, in any case.")

    /// The most people in one page.
    package static let largestPage = 1000

    /// The person who asks.
    ///
    /// - Throws: 2 where nobody is signed in, or no longer.
    package func caller(_ call: Call<Principal>, in db: Database) throws -> Person {
        guard let person = try People.find(try call.person(), in: db) else {
            throw RPCError.notAllowed("Nobody is signed in; people.signIn does that.")
        }
        return person
    }

    /// The person that `person` names; who asks where it is left out.
    func personOrCaller(_ call: Call<Principal>, in db: Database) throws -> Person {
        guard let id: String = try call.optional("person") else { return try caller(call, in: db) }
        return try People.get(id, in: db)
    }
}
