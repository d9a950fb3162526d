import Callers
import Glibc
import RPC
import Service
import Store
import Synchronization

/// The upload and import of a recording or location history over HTTP, for administrators:
/// `POST /histories?device=NAME&name=FILE`.
///
/// The file waits beside the store until it is complete, and is removed in every case. It is imported by calls of
/// `trips.import` on behalf of its sender.
final class HistoryUpload: FileReceiver {
    private let caller: Principal
    private let methods: MethodTable<Principal>
    private let place: ImportPlace
    private let turn: ImportTurn
    private let device: String?
    private let name: String
    /// The length that the sender has announced; `nil` if it announced none.
    private let length: Int?
    private let size = Mutex(0)

    /// The largest file: ten years of a phone's positions are half of it in Google's form, which is the longest.
    static let largestFile = 4_000_000_000
    /// The longest time for a file: the largest takes an hour through a network of 10 Mbit/s.
    private static let longestTime = Duration.seconds(7_200)
    /// The longest file name, as file systems have it.
    private static let longestName = 255
    /// The most elements in each list of the answer, which a page shows at once.
    static let mostListed = 1000

    /// Returns the route to the store at a path.
    ///
    /// - Parameter methods: The methods, of which `trips.import` is called.
    static func route(besideStore store: String, calling methods: MethodTable<Principal>) -> FileRoute {
        let place = ImportPlace(ofStore: store)
        var route = FileRoute("histories")
        route.uploads = .init(
            type: "application/octet-stream", advice: "Send a recording or a history as application/octet-stream.",
            longest: longestTime)
        route.receive = { try HistoryUpload($0, in: place, calling: methods) }
        return route
    }

    /// - Throws: `Refusal` if the caller may not import, a parameter is invalid, the file is too large, or another one is
    ///   being imported.
    private init(
        _ request: FileRoute.Request, in place: ImportPlace, calling methods: MethodTable<Principal>
    ) throws(Refusal) {
        caller = request.call.caller
        guard caller.has(.change) else {
            throw Refusal.notAllowed("Only administrators of the machine may import journeys.")
        }
        guard request.rest.isEmpty else { throw Refusal.notFound("There is nothing here.") }
        device = try Self.device(in: request.parameters)
        name = request.parameters["name"] ?? "recording"
        guard (1...Self.longestName).contains(name.utf8.count) else {
            throw Refusal.invalid("name", "must have 1 to \(Self.longestName) bytes")
        }
        length = request.length
        if let length { try Self.checkSize(length) }
        self.methods = methods
        self.place = place
        turn = try place.begin()
        if let length { try UploadRoom.check(for: length, in: place.folder, of: "file") }
    }

    /// Returns the device that everything in the file is of; `nil` if the file or its name decides.
    private static func device(in parameters: [String: String]) throws(Refusal) -> String? {
        guard let device = parameters["device"], !device.isEmpty else { return nil }
        return try Parameter<String>.identifier(
            "device", .deviceName, atMost: Schema.longestDeviceName, "The device that made the recording."
        ).value(in: ["device": .string(device)])
    }

    private static func checkSize(_ bytes: Int) throws(Refusal) {
        guard bytes <= largestFile else {
            throw Refusal.invalid(
                "file", "must have at most 4 GB; on the machine, \"waymark trip import\" reads larger ones")
        }
    }

    // MARK: Receiving

    func write(_ bytes: [UInt8]) async throws {
        let begin = size.withLock { $0 }
        let end = begin + bytes.count
        try Self.checkSize(end)
        try UploadRoom.check(for: bytes.count, at: begin, in: place.folder, of: "file")
        do throws(FileCalls.Failure) {
            let file = try FileCalls().open(place.path, flags: O_WRONLY)
            try FileCalls().write(bytes, to: file, at: begin)
        } catch {
            throw Refusal.unavailable("The file cannot be stored: \(error)")
        }
        size.withLock { $0 = end }
    }

    func cancel() async { turn.end() }

    // MARK: Importing

    func finish() async throws -> JSONText {
        defer { turn.end() }
        try Task.checkCancellation()
        let received = size.withLock { $0 }
        guard length ?? received == received else {
            throw Refusal.invalid("file", "did not arrive as a whole")
        }
        let reading = HistoryReading()
        let outcome: Result<HistoryReading.Outcome, any Error>
        do {
            outcome = .success(
                try await reading.run(
                    place.path, name: name, device: device, atMost: Self.mostListed
                ) { [methods, caller] in try await Self.call($0, methods, caller) })
        } catch {
            outcome = .failure(error)
        }
        await reading.end()
        do {
            return Self.answer(try outcome.get())
        } catch let failure as FileFailure {
            throw Refusal.invalid("file", "cannot be imported: \(failure.error)")
        } catch let error as RPCError {
            throw Self.refusal(error)
        }
    }

    /// Calls `trips.import` as the sender of the file would.
    private static func call(
        _ parameters: JSONObject, _ methods: MethodTable<Principal>, _ caller: Principal
    ) async throws -> JSONValue {
        let request = Request(id: nil, method: "trips.import", parameters: .named(parameters))
        let answer = try await methods.dispatch(request, from: caller).get()
        return try JSONValue(parsing: answer.bytes.span)
    }

    private static func answer(_ outcome: HistoryReading.Outcome) -> JSONText {
        var json = outcome.summary.members(atMost: mostListed)
        json["skipped_count"] = .integer(Int64(clamping: outcome.summary.skippedCount))
        json["trips"] = .array(outcome.trips)
        return JSONText(.object(json))
    }

    /// Returns the refusal with the code of an error.
    private static func refusal(_ error: RPCError) -> Refusal {
        let kind = Refusal.Kind.allCases.first { RPCError.Code($0) == error.code }
        return Refusal(kind ?? .unavailable, error.message, data: error.data)
    }
}
