/// How somebody travelled, as a recording tells it.
///
/// The raw values are the names that users and other programs see.
public enum TripKind: String, Hashable, Sendable, Codable, CaseIterable {
    case walking, running, hiking, cycling, motorcycling, driving, bus, train, tram, subway, ferry, boating, sailing
    case rowing, flying, gliding, skiing, skating, riding, swimming

    /// Creates the kind that a word of another program means, such as Google's `IN_PASSENGER_VEHICLE`, Garmin's
    /// `trail_running` or Strava's `Ride`.
    ///
    /// Only letters and digits count, in either case. The result is `nil` for other words, and for those that tell no
    /// kind, such as `STILL`.
    ///
    /// - Complexity: O(length), of which at most ``longestWord`` bytes count.
    public init?(word: some Sequence<UInt8>) {
        var letters: [UInt8] = []
        for byte in word {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): letters.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte | 0x20)
            default: continue
            }
            guard letters.count <= Self.longestWord else { return nil }
        }
        guard let kind = Self.words[String(decoding: letters, as: UTF8.self)] else { return nil }
        self = kind
    }

    /// Creates the kind of a sport in FIT's profile (type `sport`); `nil` for those that are no way of travelling.
    public init?(fitSport number: Int64) {
        switch number {
        case 1: self = .running
        case 2, 21: self = .cycling
        case 5: self = .swimming
        case 11: self = .walking
        case 12, 13, 14: self = .skiing
        case 15, 19, 37, 41, 42: self = .rowing
        case 16, 17, 35: self = .hiking
        case 20: self = .flying
        case 22: self = .motorcycling
        case 23: self = .boating
        case 24: self = .driving
        case 26: self = .gliding
        case 27: self = .riding
        case 30, 33: self = .skating
        case 32: self = .sailing
        default: return nil
        }
    }

    /// The most letters of a word.
    public static let longestWord = 40

    private static let words: [String: TripKind] = {
        let lists: [TripKind: String] = [
            .walking: "walking walk onfoot foot 10 casualwalking speedwalking",
            .running: "running run 9 trailrunning trailrun streetrunning trackrunning jogging",
            .hiking: "hiking hike 4 mountaineering climbing snowshoeing snowshoe trekking",
            .cycling: """
            cycling onbicycle biking bike bicycle ride 1 roadbiking roadcycling mountainbiking mountainbikeride \
            gravelcycling gravelride ebikeride ebiking cyclocross bmx ebikefitness virtualride
            """,
            .motorcycling: "motorcycling motorcycle inmotorcycle intwowheelervehicle motorbike",
            .driving: """
            driving drive car incar invehicle inpassengervehicle inroadvehicle infourwheelervehicle intaxi taxi \
            vehicle auto
            """,
            .bus: "bus inbus",
            .train: "train intrain inrailvehicle rail",
            .tram: "tram intram incablecar infunicular ingondolalift",
            .subway: "subway insubway metro",
            .ferry: "ferry inferry",
            .boating: "boating boat motorboating",
            .sailing: "sailing sail windsurfing windsurf kitesurfing kitesurf",
            .rowing:
                "rowing paddling kayaking canoeing standuppaddling standuppaddleboarding kayakingwhitewater rafting",
            .flying: "flying fly plane airplane flight",
            .gliding: "gliding paragliding hanggliding",
            .skiing: """
            skiing ski alpineski nordicski backcountryski crosscountryskiing alpineskiing downhillskiing \
            resortskiing skitouring backcountryskiing snowboarding snowboard
            """,
            .skating: "skating inlineskate inlineskating iceskate iceskating skateboarding",
            .riding: "riding horsebackriding horseriding",
            .swimming: "swimming swim openwaterswimming 16",
        ]
        var words: [String: TripKind] = [:]
        for (kind, list) in lists { for word in list.split(separator: " ") { words[String(word)] = kind } }
        return words
    }()
}

extension TripKind {
    /// The number of the kind in files that last as long as a process, from 1.
    public var number: UInt8 { Self.numbers[self] ?? 0 }

    /// Creates the kind with a number; `nil` if there is none.
    public init?(number: UInt8) {
        guard number > 0, Int(number) <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(number) - 1]
    }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, UInt8(truncatingIfNeeded: $0 + 1)) })
}
