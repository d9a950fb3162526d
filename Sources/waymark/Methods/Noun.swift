import ArgumentParser

/// A group of methods that is a command: what stands before the dot in their names.
protocol Noun: Sendable {
    static var name: String { get }
    /// What the methods are about, a sentence.
    static var abstract: String { get }
    /// Whether all of the methods may write, also those that anybody may call.
    static var writes: Bool { get }
    /// The members of its answers whose texts have emphasis; see ``MarkedText``.
    static var marked: Set<String> { get }
}

extension Noun {
    static var writes: Bool { false }
    static var marked: Set<String> { [] }
}

/// The groups of methods that are commands of the same names.
enum Nouns {
    enum People: Noun {
        static let name = "people"
        static let abstract = "Accounts: sign up and in, profile, who follows whom."
        // Who signs up or in is nobody yet.
        static let writes = true
    }
    enum Friends: Noun {
        static let name = "friends"
        static let abstract = "Friends, and people who ask to be one."
    }
    enum Devices: Noun {
        static let name = "devices"
        static let abstract = "Devices: what they are called, and whom they carry."
    }
    enum Sights: Noun {
        static let name = "sights"
        static let abstract = "Sights with their ranking, ratings and visits; see also sight."
    }
    enum Reviews: Noun {
        static let name = "reviews"
        static let abstract = "What people say of things: rating and text, agree and flag."
    }
    enum Reactions: Noun {
        static let name = "reactions"
        static let abstract = "Heart, like and save anything."
    }
    enum Suggestions: Noun {
        static let name = "suggestions"
        static let abstract = "Suggest something to someone."
    }
    enum Photos: Noun {
        static let name = "photos"
        static let abstract = "Photos of anything; see also photo, which sends and fetches files."
    }
    enum Notifications: Noun {
        static let name = "notifications"
        static let abstract = "Your notification centre."
        static let marked: Set = ["text"]
    }
    enum Subjects: Noun {
        static let name = "subjects"
        static let abstract = "What people react to, of any kind."
    }
    enum Mail: Noun {
        static let name = "mail"
        static let abstract = "Mail that waits to be sent."
    }

    /// Their commands.
    static let commands: [any ParsableCommand.Type] = [
        NounCommand<People>.self, NounCommand<Friends>.self, NounCommand<Devices>.self, NounCommand<Sights>.self,
        NounCommand<Reviews>.self, NounCommand<Reactions>.self, NounCommand<Suggestions>.self,
        NounCommand<Photos>.self, NounCommand<Notifications>.self, NounCommand<Subjects>.self, NounCommand<Mail>.self,
    ]
}
