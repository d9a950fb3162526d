#if Fleet
internal import CPostgreSQL
import Glibc

/// A connection to PostgreSQL, which one thread uses at a time.
///
/// Statements go out together in a pipeline, and are one transaction (PostgreSQL, section 34.5). Each call waits
/// until its deadline and no longer, whatever the server does. After an error the connection is used no more.
///
/// The server notices within seconds that this machine is gone. Else a transaction that has come in part would keep its
/// partition's row locked for hours.
final class PostgresConnection {
    /// The address of libpq's connection, which lives as long as this object.
    private let location: UInt
    private var connection: OpaquePointer? { unsafe OpaquePointer(bitPattern: location) }
    /// The names of the statements that the server keeps prepared.
    private var prepared: Set<String> = []
    /// Whether the last call has succeeded.
    private(set) var isUsable = true

    /// What the server is told first: to probe a connection that is silent for 5 s, to give one up that does not answer
    /// for 10 s, and to wait no longer than this client does for a row that another transaction has locked.
    private static let patience = """
        SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
            set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false),
            set_config('lock_timeout', $1, false)
        """

    /// Connects to a server of a connection string or URI (PostgreSQL, section 34.1.1).
    ///
    /// If it names several, each that is silent takes half of the limit, at least 2 s, or what the address says.
    ///
    /// - Parameter limit: The longest time for two servers, and then for the first answer.
    /// - Throws: ``FleetStoreError``.
    init(_ address: String, limit: Duration) throws(FleetStoreError) {
        guard let connection = unsafe pgConnect(address, Int32(clamping: max(2, limit.components.seconds / 2))) else {
            throw FleetStoreError(.unreachable, "there is no memory for a connection")
        }
        location = UInt(bitPattern: connection)
        // After a failure, deinit frees the connection.
        guard unsafe PQstatus(connection) == CONNECTION_OK, unsafe PQsetnonblocking(connection, 1) == 0,
            unsafe PQenterPipelineMode(connection) == 1
        else { throw lost() }
        let milliseconds = min(max(1, limit.components.seconds), 86_400) * 1000
        _ = try run([Statement(Self.patience, ["\(milliseconds)"])], until: .now + limit)
    }

    deinit {
        // Nobody else has the connection any more.
        unsafe PQfinish(connection)
    }

    /// Runs statements in one transaction.
    ///
    /// - Returns: The rows of each statement.
    /// - Throws: The ``FleetStoreError`` of the first statement that fails. The transaction is then rolled back,
    ///   or, if the server did not answer, it is unknown what became of it.
    func run(_ statements: [Statement], until end: ContinuousClock.Instant) throws(FleetStoreError) -> [Rows] {
        guard isUsable else { throw FleetStoreError(.unreachable, "the connection to the database is gone") }
        isUsable = false
        // Whether each result that will come is that of a statement, and not of its preparation.
        var expected: [Bool] = []
        for statement in statements {
            if let name = statement.name, prepared.insert(name).inserted {
                guard unsafe PQsendPrepare(connection, name, statement.sql, 0, nil) == 1 else { throw lost() }
                expected.append(false)
            }
            try send(statement)
            expected.append(true)
        }
        guard unsafe PQpipelineSync(connection) == 1 else { throw lost() }
        var answers: [Rows] = []
        var failure: FleetStoreError?
        for isStatement in expected {
            guard let result = try next(until: end) else { throw lost() }
            // The result is not used any more when this returns.
            defer { unsafe PQclear(result.pointer) }
            switch unsafe PQresultStatus(result.pointer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: if isStatement { answers.append(Self.rows(of: result)) }
            case PGRES_PIPELINE_ABORTED: break
            default:
                failure =
                    failure
                    ?? FleetStoreError(
                        state: unsafe String(cString: pgState(result.pointer)),
                        message: unsafe String(cString: pgMessage(result.pointer)))
                // No other result comes over a connection that is gone.
                if unsafe PQstatus(connection) == CONNECTION_BAD, let failure { throw failure }
            }
            // A null ends the results of each statement.
            guard try next(until: end) == nil else { throw lost() }
        }
        guard let sync = try next(until: end) else { throw failure ?? lost() }
        let isSynchronised = unsafe PQresultStatus(sync.pointer) == PGRES_PIPELINE_SYNC
        unsafe PQclear(sync.pointer)
        if let failure { throw failure }
        // A failure of the commit itself, such as that of a deferred constraint, comes in place of the
        // synchronisation.
        guard isSynchronised else { throw lost() }
        isUsable = true
        return answers
    }

    /// Waits for a notification; see `LISTEN`.
    ///
    /// - Returns: Its payload; `nil` if none came in time.
    /// - Throws: ``FleetStoreError`` if the connection is lost.
    func notification(until end: ContinuousClock.Instant) throws(FleetStoreError) -> String? {
        while true {
            if let notification = unsafe PQnotifies(connection) {
                // The text is copied before it is freed.
                let payload = unsafe String(cString: notification.pointee.extra)
                unsafe PQfreemem(notification)
                return payload
            }
            guard end > .now else { return nil }
            do throws(FleetStoreError) {
                try wait(for: Int16(POLLIN), until: end)
            } catch  where error.kind == .timedOut {
                return nil
            }
            guard unsafe PQconsumeInput(connection) == 1 else { throw lost() }
        }
    }

    private func send(_ statement: Statement) throws(FleetStoreError) {
        let (bytes, offsets) = try statement.encoded()
        // libpq copies the texts into its buffer before it returns.
        let isSent = unsafe pgSend(
            connection, statement.name, statement.sql, Int32(clamping: offsets.count), bytes, offsets)
        guard isSent == 1 else { throw lost() }
    }

    /// A result of libpq, which its receiver frees.
    private struct Result {
        let address: UInt
        var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }
    }

    /// Waits for the next result; `nil` for the end of a statement's results.
    private func next(until end: ContinuousClock.Instant) throws(FleetStoreError) -> Result? {
        while true {
            let unsent = unsafe PQflush(connection)
            guard unsent >= 0 else { throw lost() }
            if unsafe PQisBusy(connection) == 0 {
                guard let result = unsafe PQgetResult(connection) else { return nil }
                return Result(address: UInt(bitPattern: result))
            }
            try wait(for: Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0), until: end)
            guard unsafe PQconsumeInput(connection) == 1 else { throw lost() }
        }
    }

    private static func rows(of result: Result) -> Rows {
        let columns = unsafe PQnfields(result.pointer)
        // The texts are copied while the result is there.
        return Rows(
            values: (0..<(unsafe PQntuples(result.pointer))).map { row in
                (0..<columns).map { column in
                    guard unsafe PQgetisnull(result.pointer, row, column) == 0,
                        let text = unsafe PQgetvalue(result.pointer, row, column)
                    else { return nil }
                    return unsafe String(cString: text)
                }
            })
    }

    /// Waits until the socket can be read or written.
    private func wait(for events: Int16, until end: ContinuousClock.Instant) throws(FleetStoreError) {
        while true {
            let left = end - .now
            guard left > .zero else { throw FleetStoreError(.timedOut, "the database does not answer in time") }
            let (seconds, fraction) = left.components
            let milliseconds = Int32(clamping: min(seconds, 86_400) * 1000 + fraction / 1_000_000_000_000_000 + 1)
            var request = pollfd(fd: unsafe PQsocket(connection), events: events, revents: 0)
            // poll writes only into the one request.
            let count = unsafe poll(&request, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR {
                throw FleetStoreError(.unreachable, "the connection to the database is gone")
            }
        }
    }

    /// The error of the connection, in libpq's words.
    private func lost() -> FleetStoreError {
        // The text is copied while the connection is there.
        let words = unsafe String(cString: PQerrorMessage(connection))
        let line = words.split(whereSeparator: \.isNewline).joined(separator: " ")
        return FleetStoreError(
            .unreachable, line.isEmpty ? "the connection to the database is gone" : "the database: \(line)")
    }
}
#endif
