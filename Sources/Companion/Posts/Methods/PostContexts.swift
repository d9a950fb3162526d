import Callers
import GRDB
import People
import RPC
import Service
import Store
import Time

/// The context of a read: the transaction and the audience.
struct PostReadContext {
    let db: Database
    let audience: Audience
}

/// The context of a change: the transaction, the caller and the time.
struct PostChangeContext {
    let db: Database
    let audience: Audience
    /// The caller.
    let me: Person
    let viewer: Viewer
    let now: Timestamp
}

extension ServiceContext {
    /// Runs `body` in a read transaction on behalf of the caller.
    func readPosts<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (PostReadContext) throws -> Value
    ) async throws -> Value {
        let viewer = call.viewer
        return try await store.read { db in
            try body(PostReadContext(db: db, audience: Audience(viewer, in: db)))
        }
    }

    /// Runs `body` in a write transaction on behalf of the signed-in caller.
    func changePosts<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (PostChangeContext) throws -> Value
    ) async throws -> Value {
        try await changePosts(call) { changing, _ in try body(changing) }
    }

    /// Runs `body`, which may have consequences, in a write transaction on behalf of the signed-in caller.
    func changePosts<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (PostChangeContext, inout Consequences) throws -> Value
    ) async throws -> Value {
        let (id, viewer, now) = (try call.person(), call.viewer, now())
        return try await editor.change { db, consequences in
            try body(
                PostChangeContext(
                    db: db, audience: Audience(viewer, in: db), me: People.get(id, in: db), viewer: viewer, now: now),
                &consequences)
        }
    }
}
