import EventStream
import RPC
import Service
import Store
import Synchronization

/// Who may be told of an event: whoever may see what it is about, and what is addressed to someone they alone.
///
/// The hub needs it before there are features, which need the pipeline behind the hub.
final class EventVisibility: Sendable {
    private let store: LocationDatabase
    private let subjects = Mutex<Subjects?>(nil)

    init(_ store: LocationDatabase) { self.store = store }

    /// Takes what people can react to, before anybody is told of anything.
    func learn(_ subjects: Subjects) { self.subjects.withLock { $0 = subjects } }

    /// Whether a caller may be told of an event.
    func allows(_ entry: JournalEntry, _ principal: Principal) -> Bool {
        if let recipient = entry.recipient { return recipient == principal.person }
        guard let subject = entry.subject, let subjects = subjects.withLock(\.self) else { return true }
        let viewer = Viewer(person: principal.person, isAdmin: principal.has(.change))
        return subjects.isVisible(subject, to: viewer, in: store)
    }
}
