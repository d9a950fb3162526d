public import Callers
import GRDB
import Gazetteer
import Geodesy
import People
public import RPC
public import Service
import Sights
import Store
import Time

/// The RPC method about a year as a whole: `history.year`.
public struct YearMethods: Sendable {
    private let store: LocationDatabase
    private let deviceDirectory: DeviceDirectory

    /// Creates the method for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// The method about a year.
    public var all: [Method<Principal>] {
        [
            .stored(
                "history.year",
                "Adds up a year: by month, the countries, and the places that are new. A place is where trips began, "
                    + "rested or ended; it is new if none did so within 5 km in an earlier year.",
                Parameter<Int64>.required("year", .integer(in: 1...9999), "The year, of the machine's time zone."),
                .optional("device", .deviceName, "Only trips of this device."), answers: YearStory.shape,
                errors: [.notFound, .invalidValue], right: .read, handler: year)
        ]
    }

    @Sendable private func year(_ call: Call<Principal>, year: Int64, device: String?) async throws -> YearStory {
        let access = try await deviceDirectory.access(of: call.viewer)
        let name: String? =
            if let device { try await deviceDirectory.device(device, among: access.devices).name } else { nil }
        return try await store.read { db in
            var story = YearStory(
                zone: try TripSums.localDays(in: db).zone,
                heat: try HeatYear(year, device: name, among: access.scope, in: db),
                pending: try TripHeat.pending(among: access.scope, in: db))
            try story.addDays(of: year, device: name, among: access.scope, in: db)
            try story.addPlaces(in: db)
            return story
        }
    }
}

/// A year of a device, or of all devices.
private struct YearStory: Answerable, Sendable {
    /// The trips of a month, or of a year.
    struct Total: Sendable {
        var trips: Int64 = 0
        var distance = 0.0
        var moving = 0.0
        var days = 0
    }

    /// The day of the greatest distance.
    struct Day: Sendable {
        var day: CalendarDate
        var distance: Double
    }

    /// A country, and the trips in it.
    struct Country: Sendable {
        var code: String
        var trips: Int64
    }

    /// A place and what it is called.
    struct Place: Sendable {
        var place: HeatYear.Place
        var name: String?
        var country: String?
    }

    var zone: String
    var heat: HeatYear
    var pending: Int
    var total = Total()
    var months: [Total] = Array(repeating: Total(), count: 12)
    var longest: Day?
    var years: [Int] = []
    var countries: [Country] = []
    var newPlaces: [Place] = []

    /// The most places of which the names are searched for, which is done in 20 ms.
    private static let mostNamed = 200
    /// The most new places in an answer.
    private static let mostPlaces = 100

    init(zone: String, heat: HeatYear, pending: Int) {
        (self.zone, self.heat, self.pending) = (zone, heat, pending)
    }

    /// Adds the sums of the days of a year up.
    mutating func addDays(
        of year: Int64, device: String?, among scope: TravelScope?, in db: Database
    ) throws {
        years = Array(
            Set(
                try TripSums.list(TravelSum.Query(.year, device: device, among: scope), in: db).map {
                    $0.start.components.year
                })
        ).sorted()
        let query = TravelSum.Query(
            .day, device: device, among: scope, from: CalendarDate(year: Int(clamping: year), month: 1, day: 1),
            to: CalendarDate(year: Int(clamping: year), month: 12, day: 31))
        var (day, distance): (CalendarDate?, Double) = (nil, 0)
        for sum in try TripSums.list(query, in: db) {
            let month = sum.start.components.month - 1
            guard months.indices.contains(month) else { continue }
            let isNewDay = sum.start != day
            months[month].add(sum, isNewDay: isNewDay)
            total.add(sum, isNewDay: isNewDay)
            distance = (isNewDay ? 0 : distance) + sum.distance
            day = sum.start
            if distance > longest?.distance ?? 0 { longest = Day(day: sum.start, distance: distance) }
        }
    }

    /// Finds the countries, and the names of the new places.
    mutating func addPlaces(in db: Database) throws {
        newPlaces = heat.places.filter(\.isNew).prefix(Self.mostPlaces).map { Place(place: $0) }
        guard try !PlaceNames(db).isEmpty else { return }
        var trips: [String: Int64] = [:]
        var named: [Coordinate: GazetteerPlace] = [:]
        // The new ones first, because their names are shown.
        let all = newPlaces.map(\.place) + heat.places.filter { !$0.isNew }
        for place in all.prefix(Self.mostNamed) {
            guard let town = try PlaceNames.town(at: place.center, in: db) else { continue }
            named[place.center] = town
            if let country = town.country { trips[country, default: 0] &+= place.trips }
        }
        countries = trips.map { Country(code: $0.key, trips: $0.value) }.sorted {
            ($1.trips, $0.code) < ($0.trips, $1.code)
        }
        // A town of several squares is one place.
        var names: Set<String> = []
        newPlaces = newPlaces.compactMap { one in
            let town = named[one.place.center]
            if let town, !names.insert("\(town.name) \(town.country ?? "")").inserted { return nil }
            return Place(place: one.place, name: town?.name, country: town?.country)
        }
    }

    static let shape = AnswerShape<YearStory>.object {
        Member("zone", .text, "The time zone in which the year is: that of the machine.") { $0.zone }
        Member("years", .array(of: .integer), "The years of which there are trips, the earliest first.") { $0.years }
        Member("trips", .integer, "The number of trips that began in the year.") { $0.total.trips }
        Member("distance", .number(decimals: 1), "Metres travelled.") { $0.total.distance }
        Member("moving", .number(decimals: 3), "Seconds on trips, without stops and gaps.") { $0.total.moving }
        Member("days", .integer, "The number of days with a trip.") { $0.total.days }
        Member("months", .array(of: month, count: 12...12), "The months, from January.") { $0.months }
        Member.optional("longest", longestDay, "The day of the greatest distance; absent without any.") { $0.longest }
        Member(
            "countries", .array(of: country),
            "The countries of the places, those of the most trips first; none without a gazetteer of GeoNames."
        ) { $0.countries }
        Member("places", .integer, "The number of places.") { $0.heat.places.count }
        Member("places_new", .integer, "The number of places that are new.") {
            $0.heat.places.filter(\.isNew).count
        }
        Member(
            "new_places", .array(of: place, count: 0...mostPlaces),
            "New places, those of the most trips first; squares of the same town are one of them."
        ) { $0.newPlaces }
        Member("squares", .integer, "The number of squares of 5 km at the equator that trips passed.") {
            $0.heat.squares
        }
        Member("squares_new", .integer, "The number of these that no trip of an earlier year passed.") {
            $0.heat.newSquares
        }
        Member.optional(
            "bbox", .array(of: .number(decimals: 5)), "West, south, east and north of them; absent without any."
        ) { story in
            story.heat.bounds.map {
                [$0.southWest.longitude, $0.southWest.latitude, $0.northEast.longitude, $0.northEast.latitude]
            }
        }
        Member("pending", .integer, "The number of trips that are still to be counted after an upgrade.") { $0.pending }
    }

    private static let month = AnswerShape<Total>.object {
        Member("trips", .integer, "The number of trips that began in the month.") { $0.trips }
        Member("distance", .number(decimals: 1), "Metres travelled.") { $0.distance }
        Member("moving", .number(decimals: 3), "Seconds on trips, without stops and gaps.") { $0.moving }
        Member("days", .integer, "The number of days with a trip.") { $0.days }
    }

    private static let longestDay = AnswerShape<Day>.object {
        Member("day", .text(.day), "The day.") { $0.day.text }
        Member("distance", .number(decimals: 1), "Metres travelled.") { $0.distance }
    }

    private static let country = AnswerShape<Country>.object {
        Member("code", .text, "The two letters of ISO 3166.") { $0.code }
        Member("trips", .integer, "The trips that began, rested or ended there, once for each place.") { $0.trips }
    }

    private static let place = AnswerShape<Place>.object {
        Member.place("The latitude, in degrees north.", "The longitude, in degrees east.") { $0.place.center }
        Member.optional("name", .text, "The town nearby; absent if the gazetteer knows none there.") { $0.name }
        Member.optional("country", .text, "The two letters of its country; absent if unknown.") { $0.country }
        Member("trips", .integer, "The trips that began, rested or ended there.") { $0.place.trips }
    }
}

extension YearStory.Total {
    fileprivate mutating func add(_ sum: TravelSum, isNewDay: Bool) {
        trips = trips + sum.trips
        distance = distance + sum.distance
        moving = moving + sum.moving
        if isNewDay { days = days + 1 }
    }
}
