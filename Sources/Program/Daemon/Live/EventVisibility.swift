import Callers
import People
import RPC
import Service
import Store
import Synchronization
import Tracking

/// The rule that decides who may receive an event.
///
/// An event with a recipient is for that person only. One about the daemon's health is for those who see the machine and
/// all devices, whose names it has. Any other event is for everybody who may see its device and its subject; why a
/// receiver is offline is only for those who see the machine, because the reason may name a file or an address. The hub
/// needs this rule before the features exist, because they need the pipeline behind the hub. Answers from the store are
/// cached until something changes, so that an event is not looked up for each subscription.
final class EventVisibility: Sendable {
    private let store: LocationDatabase
    private let state = Mutex(State())

    private struct State {
        var subjects: Subjects?
        var editor: Editor?
        /// The store's answers as of `changeCount`.
        var answers: [Question: Bool] = [:]
        /// What callers may see as of `changeCount`.
        var access: [Viewer: DeviceAccess] = [:]
        var changeCount = 0

        /// Forgets answers from before a change; returns whether an answer as of `count` may be cached.
        mutating func isCurrent(as count: Int) -> Bool {
            guard count >= changeCount else { return false }
            if count > changeCount { (answers, access, changeCount) = ([:], [:], count) }
            return true
        }
    }

    private struct Question: Hashable {
        var subject: String
        var person: String?
        var isAdmin: Bool
    }

    /// The most answers to cache, about a megabyte.
    private static let maximumAnswers = 4096

    init(_ store: LocationDatabase) { self.store = store }

    /// Sets the kinds of subjects, and the editor through which they change; `nil` if nothing changes them.
    ///
    /// Call it before any event is published.
    func configure(_ subjects: Subjects, _ editor: Editor? = nil) {
        state.withLock { ($0.subjects, $0.editor) = (subjects, editor) }
    }

    /// Returns an event as a caller may see it.
    func shown(_ entry: EventRecord, _ principal: Principal) -> EventRecord {
        guard entry.type == EventRecord.offline, !principal.seesMachine else { return entry }
        return entry.withoutReason
    }

    /// Whether a caller may receive an event.
    func allows(_ entry: EventRecord, _ principal: Principal) -> Bool {
        if let recipient = entry.recipient { return recipient == principal.person }
        let access = access(of: principal)
        guard entry.type != EventRecord.healthChanged else { return principal.seesMachine && access.isUnlimited }
        if let device = entry.device, !access.sees(device) { return false }
        guard let subject = entry.subject else { return true }
        let (subjects, editor) = state.withLock { ($0.subjects, $0.editor) }
        guard let subjects, Self.depends(entry, on: subject, subjects) else { return true }
        let question = Question(subject: subject, person: principal.person, isAdmin: principal.has(.change))
        // The count is read before the store, so that an answer from before a change is never cached as one from after
        // it.
        let changeCount = editor?.changeCount ?? 0
        if let known = state.withLock({ $0.changeCount == changeCount ? $0.answers[question] : nil }) { return known }
        let viewer = Viewer(person: question.person, isAdmin: question.isAdmin)
        let answer = subjects.isVisible(subject, to: viewer, in: store)
        state.withLock { state in
            guard state.isCurrent(as: changeCount) else { return }
            if state.answers.count >= Self.maximumAnswers { state.answers = [:] }
            state.answers[question] = answer
        }
        return answer
    }

    /// Whether the bytes of an event may leave this machine for its centre.
    ///
    /// What is for one person stays, and what not everybody on this machine may see.
    func mayLeave(_ entry: EventRecord) -> Bool {
        guard entry.recipient == nil else { return false }
        guard let subject = entry.subject else { return true }
        guard let subjects = state.withLock({ $0.subjects }), Self.depends(entry, on: subject, subjects) else {
            return true
        }
        return subjects.isVisible(subject, to: Viewer(person: nil, isAdmin: false), in: store)
    }

    /// Whether only those may receive an event who see its subject.
    ///
    /// That a sight has changed is such an event even though sights are public, because no device restricts it, and a
    /// sight that is watched for some devices alone is hidden from others.
    private static func depends(_ entry: EventRecord, on subject: String, _ subjects: Subjects) -> Bool {
        entry.type == EventRecord.subjectChanged || subjects.isRestricted(subject)
    }

    /// Returns which devices a caller may see; none if the store cannot be read.
    private func access(of principal: Principal) -> DeviceAccess {
        let viewer = Viewer(person: principal.person, isAdmin: principal.has(.change))
        let (editor, count, known) = state.withLock { ($0.editor, $0.changeCount, $0.access[viewer]) }
        let changeCount = editor?.changeCount ?? 0
        if let known, count == changeCount { return known }
        guard let access = try? store.read({ try DeviceAccess(for: viewer, in: $0) }) else {
            return viewer.isAdmin ? .everything : .nothing
        }
        state.withLock { state in
            guard state.isCurrent(as: changeCount) else { return }
            if state.access.count >= Self.maximumAnswers { state.access = [:] }
            state.access[viewer] = access
        }
        return access
    }
}
