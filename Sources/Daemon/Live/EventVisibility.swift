import EventStream
import RPC
import Service
import Store
import Synchronization

/// Who may be told of an event: whoever may see what it is about, and what is addressed to someone they alone.
///
/// The hub needs it before there are features, which need the pipeline behind the hub. What the store has said is good
/// until something is changed, so that an event is not looked up for each subscription.
final class EventVisibility: Sendable {
    private let store: LocationDatabase
    private let state = Mutex(State())

    private struct State {
        var subjects: Subjects?
        var editor: Editor?
        /// The answers of the store after so many changes.
        var answers: [Question: Bool] = [:]
        var changeCount = 0
    }

    private struct Question: Hashable {
        var subject: String
        var person: String?
        var isAdmin: Bool
    }

    /// So many answers take about a megabyte.
    private static let mostAnswers = 4096

    init(_ store: LocationDatabase) { self.store = store }

    /// Takes what people can react to, and through what it is changed, before anybody is told of anything.
    func learn(from context: ServiceContext) {
        state.withLock { ($0.subjects, $0.editor) = (context.subjects, context.editor) }
    }

    /// Whether a caller may be told of an event.
    func allows(_ entry: JournalEntry, _ principal: Principal) -> Bool {
        if let recipient = entry.recipient { return recipient == principal.person }
        guard let subject = entry.subject else { return true }
        let (subjects, editor) = state.withLock { ($0.subjects, $0.editor) }
        guard let subjects, subjects.isRestricted(subject) else { return true }
        let question = Question(subject: subject, person: principal.person, isAdmin: principal.has(.change))
        // Before the store is read, so that an answer of before a change is not taken for one of after it.
        let changeCount = editor?.changeCount ?? 0
        if let known = state.withLock({ $0.changeCount == changeCount ? $0.answers[question] : nil }) { return known }
        let viewer = Viewer(person: question.person, isAdmin: question.isAdmin)
        let answer = subjects.isVisible(subject, to: viewer, in: store)
        state.withLock { state in
            guard changeCount >= state.changeCount else { return }
            if changeCount > state.changeCount || state.answers.count >= Self.mostAnswers { state.answers = [:] }
            state.changeCount = changeCount
            state.answers[question] = answer
        }
        return answer
    }
}
