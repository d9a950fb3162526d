import Callers
import GRDB
import Geodesy
import People
import Positioning
import RPC
import Service
import Store
import Time
import Tracking

/// The RPC methods about links that show where a device is until they end: `follow.create`, `.list`, `.end` and `.open`.
struct FollowMethods: Sendable {
    private let context: ServiceContext
    private let deviceDirectory: DeviceDirectory

    private var store: LocationDatabase { context.store }
    private var editor: Editor { context.editor }

    init(_ context: ServiceContext) {
        self.context = context
        deviceDirectory = DeviceDirectory(store: context.store, liveState: context.liveState)
    }

    /// The life of a link in milliseconds unless another end is given: 4 hours.
    private static let defaultLife: Int64 = 14_400_000

    /// All methods about these links.
    var all: [Method<Principal>] {
        [
            .stored(
                "follow.create",
                "Creates a link that shows where a device is to everyone who has the link, until it ends.",
                .optional("device", .deviceName, "The device; by default the one that carries you."),
                .time("until", "The end, at most a week ahead; 4 hours from now by default."),
                answers: NewLink.shape, errors: [.notFound, .notAllowed, .invalidValue, .unavailable],
                right: .contribute, handler: create
            ).conversing(
                Conversation(next: { answer in
                    guard case .string(let link)? = answer["link"] else { return nil }
                    return "Whoever opens /f/\(link) at Waymark's address sees the device until then."
                })),
            .stored(
                "follow.list", "Lists your links that have not ended; administrators see all.",
                answers: .object {
                    Member("links", .array(of: FollowLink.shape), "The links, oldest first.") { $0 }
                }, right: .contribute
            ) { call in
                let (viewer, now) = (call.viewer, context.now())
                return try await store.read { try FollowLink.list(for: viewer, at: now, in: $0) }
            },
            .stored(
                "follow.end", "Ends one of your links immediately.",
                Parameter<Int64>.required("number", .integer(in: 1...1_000_000_000), "The link's number."),
                answers: AnswerShape<Int64>.object { Member("number", .integer, "The link's number.") { $0 } },
                errors: [.notFound], right: .contribute
            ) { call, number in
                let viewer = call.viewer
                return try await editor.change { db, _ in
                    try FollowLink.end(number, for: viewer, in: db)
                    return number
                }
            },
            .stored(
                "follow.open",
                "Returns where the device of a link is, its way on the present trip since the link was made, and how "
                    + "long the link still shows it.",
                Parameter<String>.required("link", .string(length: 1...64), "The secret of the link."),
                .optional(
                    "again", .boolean, default: false,
                    "Whether the caller has opened the link before, so that it is not counted once more."),
                .time("after", "Only the points of the way after this time; by default all."),
                answers: Followed.shape, errors: [.notFound], right: .read, handler: open),
        ]
    }

    /// The answer with a new link.
    ///
    /// It is the only one that contains the secret.
    private struct NewLink: Answerable, Sendable {
        var secret: String
        var link: FollowLink

        static let shape = AnswerShape<NewLink>.object {
            Member("link", .text, "The secret of the link, which is returned only this once.") { $0.secret }
            FollowLink.members.of { $0.link }
        }
    }

    /// What a link shows.
    private struct Followed: Answerable, Sendable {
        var device: DeviceDirectory.Device?
        var name: String
        var ends: Timestamp
        var left: Double
        var age: FixAge?
        /// The beginning of what the link shows of the present trip; `nil` if there is no trip.
        var begin: Timestamp?
        var way = FollowedWay()

        private var fix: Fix? { device?.last }

        static let shape = AnswerShape<Followed>.object {
            Member("title", .text, "The title of the device, or else its name.") { $0.device?.title ?? $0.name }
            Member("ends", .time, "The time at which the link ends.") { $0.ends }
            Member("left", .number(decimals: 0), "The seconds until then.") { $0.left }
            Member.optional("time", .time, "The time of the last fix; absent if there was none.") { $0.fix?.time }
            Member.optional("lat", .number(.latitude, decimals: 7), "Degrees north.") { $0.fix?.coordinate.latitude }
            Member.optional("lon", .number(.longitude, decimals: 7), "Degrees east.") {
                $0.fix?.coordinate.longitude
            }
            Member.optional("speed", .number(decimals: 2), "Metres per second.") { $0.fix?.speed?.metersPerSecond }
            Member.optional("track", .number(decimals: 1), "Degrees clockwise from true north.") {
                $0.fix?.track?.degrees
            }
            Member.flag("old", "Whether the last fix is too old to say where the device is now.") {
                $0.age?.isOld ?? false
            }
            Member.optional(
                "way_begin", .time,
                "The beginning of the way: of the trip that is going, or of the link; absent if no trip is going."
            ) { $0.begin }
            Member(
                "way", .array(of: FollowedWay.Point.shape, count: 0...FollowedWay.most),
                "The way since then, in order of time; fewer points if there are many."
            ) { $0.way.points }
        }
    }

    @Sendable private func create(
        _ call: Call<Principal>, name: String?, until: Timestamp?
    ) async throws -> NewLink {
        let (viewer, now) = (call.viewer, context.now())
        let ends = until ?? now.advanced(byMilliseconds: Self.defaultLife)
        let life = ends.seconds(since: now)
        guard life > 0, life <= FollowLink.longestLife else {
            throw Refusal.invalid("until", "must be in the future, and at most a week ahead")
        }
        let device: String
        if name == nil, viewer.person != nil {
            device = try await deviceDirectory.lastFix(of: nil, for: viewer).device
        } else {
            device = try await deviceDirectory.device(name, for: viewer).name
        }
        return try await editor.change { db, _ in
            guard try Self.mayShow(device, viewer, in: db) else {
                throw Refusal.notAllowed(
                    "You are not on board of \(device). Only the people on board and administrators may show others "
                        + "where it is.")
            }
            let created = try FollowLink.create(to: device, by: viewer.person, until: ends, at: now, in: db)
            return NewLink(secret: created.secret, link: created.link)
        }
    }

    /// Whether a viewer may show others where a device is: administrators, and those whom it carries.
    private static func mayShow(_ device: String, _ viewer: Viewer, in db: Database) throws -> Bool {
        guard !viewer.isAdmin else { return true }
        guard let person = viewer.person else { return false }
        return try People.passengers(of: device, in: db).contains(person)
    }

    @Sendable private func open(
        _ call: Call<Principal>, secret: String, isAgain: Bool, after: Timestamp?
    ) async throws -> Followed {
        let now = context.now()
        let found: FollowLink? = try await store.read { db in
            guard let link = try FollowLink.find(secret, at: now, in: db) else { return nil }
            // Who has left the device shows nobody any more where it is. An administrator need not be on board.
            guard let person = link.person, try !Administrators.includes(person, in: db) else { return link }
            return try People.passengers(of: link.device, in: db).contains(person) ? link : nil
        }
        guard let link = found else {
            throw Refusal.notFound("There is no such link. It may have ended, or it is mistyped.")
        }
        if !isAgain { try await editor.note { db, _ in try FollowLink.countOpening(link.number, in: db) } }
        let device = try await deviceDirectory.devices(among: [link.device]).first
        var answer = Followed(
            device: device, name: link.device, ends: link.ends, left: max(0, link.ends.seconds(since: now)),
            age: await context.liveState.age(of: link.device))
        if let trip = await context.liveState.openTrips()[link.device] {
            let begin = max(trip.start, link.created)
            let before = begin.advanced(byMilliseconds: -1)
            answer.begin = begin
            answer.way = try await store.read { db in
                try FollowedWay(
                    ofTrip: trip.id, after: max(before, after ?? before), in: db)
            }
        }
        return answer
    }
}

extension FollowLink: Answerable {
    static let shape = AnswerShape<FollowLink>.object { members }

    /// The members of an answer that describe a link.
    static let members: [Member<FollowLink>] = [
        Member("number", .integer, "The link's number, for follow.end.") { $0.number },
        Member("device", .text, "The device that it shows.") { $0.device },
        .optional("person", .text, "The username of the person who made it; absent if nobody was signed in.") {
            $0.person
        },
        Member("created", .time, "The time at which it was made.") { $0.created },
        Member("ends", .time, "The time at which it ends.") { $0.ends },
        Member("opened", .integer, "How often it was opened.") { $0.opened },
    ]
}
