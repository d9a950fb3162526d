internal import RPC

/// What one request of a tracking app holds, and how to answer it.
///
/// Nothing that an app sends is an error: what is no fix is counted, and the request succeeds, since an app would send
/// the same again for ever, or delete it, depending on the app. So the only failures are those of the server: a wrong
/// secret (401), a body that is too long (413), and a store that cannot commit (503 with `Retry-After`, never another
/// 4xx, after which OwnTracks for iOS deletes what it holds).
public struct PhoneReport: Sendable, Equatable {
    /// The app; `nil` if nothing in the request tells.
    public let client: PhoneClient?
    /// The fixes, sorted by time.
    ///
    /// Of two with the same time, a location comes before the crossing of a region; otherwise the order is that of the
    /// request.
    public let fixes: [PhoneFix]
    /// Overland's place of now, which is told as a position and is never a fix.
    ///
    /// It is ahead of the backlog that comes with it, and as a fix it would make all of it late. `nil` if it is missing
    /// or has no place or time.
    public let current: PhoneFix?
    /// How many things were understood but are no fixes, by their reason.
    public let ignored: [IgnoredReason: Int]
    /// The name of the device by the payload, for comparison only: the secret alone decides the device.
    public let claimedDevice: String?
    /// What to answer, with status 200, after the fixes are committed.
    public let answer: PhoneAnswer

    /// Reads a request.
    ///
    /// - Complexity: O(*n* log *n*) for *n* fixes, O(*b*) for *b* bytes.
    public init(reading request: PhoneRequest) {
        var collector = PhoneCollector()
        switch request.content {
        case .parameters(let parameters):
            client = parameters.has("spd") ? .gpslogger : .osmand
            answer = .empty
            collector.add { () throws(IgnoredReason) in try parameters.fix() }
        case .json(let value):
            client = PhoneClient(json: value)
            answer = client?.answer ?? .array
            collector.add(value, of: client)
        case .unreadable:
            client = nil
            // OwnTracks accepts an object, and Overland would otherwise send the batch again for ever.
            answer = .overland
            collector.ignore(.unreadable)
        case .empty:
            client = nil
            answer = .array
            collector.ignore(.empty)
        }
        fixes = collector.sorted
        current = collector.current
        ignored = collector.ignored
        claimedDevice = collector.claimedDevice
    }
}

extension PhoneClient {
    /// What the app takes for a success.
    var answer: PhoneAnswer {
        switch self {
        case .owntracks: .array
        case .overland: .overland
        case .osmand, .traccar, .gpslogger: .empty
        }
    }
}

/// Collects what a request holds.
struct PhoneCollector {
    /// The longest name of a device that is kept, in characters.
    private static let maximumNameLength = 64

    private(set) var fixes: [PhoneFix] = []
    private(set) var ignored: [IgnoredReason: Int] = [:]
    private(set) var claimedDevice: String?
    var current: PhoneFix?

    /// Adds a fix, or counts the reason why there is none.
    mutating func add(_ read: () throws(IgnoredReason) -> PhoneFix) {
        do {
            fixes.append(try read())
        } catch {
            ignore(error)
        }
    }

    /// Counts a reason.
    mutating func ignore(_ reason: IgnoredReason) { ignored[reason, default: 0] += 1 }

    /// Notes the name by which the payload calls its device; the first one is kept.
    mutating func claim(_ name: JSONValue?) {
        guard claimedDevice == nil, case .string(let name)? = name, !name.isEmpty else { return }
        claimedDevice = String(name.prefix(Self.maximumNameLength))
    }

    /// Adds what a JSON text holds.
    mutating func add(_ value: JSONValue, of client: PhoneClient?) {
        switch (client, value) {
        case (.traccar, .object): addTraccar(value)
        case (.overland, .object): addOverland(value)
        case (.owntracks, .object): addOwnTracks(value)
        case (_, .array(let elements)):
            // No app sends an array. It can only be a collection of messages, so each is read for itself.
            if elements.isEmpty { ignore(.empty) }
            for element in elements {
                if case .object = element {
                    add(element, of: PhoneClient(json: element))
                } else {
                    ignore(.noType)
                }
            }
        default: ignore(.noType)
        }
    }

    /// The fixes by time; the sort is stable.
    var sorted: [PhoneFix] {
        fixes.sorted { ($0.time, $0.isFromTransition ? 1 : 0) < ($1.time, $1.isFromTransition ? 1 : 0) }
    }
}
