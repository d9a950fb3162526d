import Callers
import RPC
import Service
import Store
import Synchronization
import Tracking

/// The rule that decides who may receive an event.
///
/// An event with a recipient is for that person only. One about the daemon's health is for those who see the machine. Any
/// other event is for everybody who may see its subject; why a receiver is offline is only for those who see the machine,
/// because the reason may name a file or an address. The hub needs this rule before the features exist, because they need the pipeline behind the hub. Answers from the store are
/// cached until something changes, so that an event is not looked up for each subscription.
final class EventVisibility: Sendable {
    private let store: LocationDatabase
    private let state = Mutex(State())

    private struct State {
        var subjects: Subjects?
        var editor: Editor?
        /// The store's answers as of `changeCount`.
        var answers: [Question: Bool] = [:]
        var changeCount = 0
    }

    private struct Question: Hashable {
        var subject: String
        var person: String?
        var isAdmin: Bool
    }

    /// The most answers to cache, about a megabyte.
    private static let maximumAnswers = 4096

    init(_ store: LocationDatabase) { self.store = store }

    /// Sets the kinds of subjects, and the editor through which they change.
    ///
    /// Call it before any event is published.
    func configure(with context: ServiceContext) {
        state.withLock { ($0.subjects, $0.editor) = (context.subjects, context.editor) }
    }

    /// Returns an event as a caller may see it.
    func shown(_ entry: EventRecord, _ principal: Principal) -> EventRecord {
        guard entry.type == EventRecord.offline, !principal.seesMachine else { return entry }
        return entry.withoutReason
    }

    /// Whether a caller may receive an event.
    func allows(_ entry: EventRecord, _ principal: Principal) -> Bool {
        if let recipient = entry.recipient { return recipient == principal.person }
        guard entry.type != EventRecord.healthChanged else { return principal.seesMachine }
        guard let subject = entry.subject else { return true }
        let (subjects, editor) = state.withLock { ($0.subjects, $0.editor) }
        guard let subjects, subjects.isRestricted(subject) else { return true }
        let question = Question(subject: subject, person: principal.person, isAdmin: principal.has(.change))
        // The count is read before the store, so that an answer from before a change is never cached as one from after
        // it.
        let changeCount = editor?.changeCount ?? 0
        if let known = state.withLock({ $0.changeCount == changeCount ? $0.answers[question] : nil }) { return known }
        let viewer = Viewer(person: question.person, isAdmin: question.isAdmin)
        let answer = subjects.isVisible(subject, to: viewer, in: store)
        state.withLock { state in
            guard changeCount >= state.changeCount else { return }
            if changeCount > state.changeCount || state.answers.count >= Self.maximumAnswers { state.answers = [:] }
            state.changeCount = changeCount
            state.answers[question] = answer
        }
        return answer
    }
}
