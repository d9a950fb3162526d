import Positioning
import Testing

@Suite struct TripKindTests {
    @Test(arguments: [
        ("WALKING", TripKind.walking), ("ON_FOOT", .walking), ("IN_PASSENGER_VEHICLE", .driving),
        ("in passenger vehicle", .driving), ("trail_running", .running), ("Biking", .cycling), ("Ride", .cycling),
        ("IN_FERRY", .ferry), ("9", .running), ("Flying", .flying),
    ])
    func wordsOfOtherProgramsAreKnown(word: String, kind: TripKind) {
        #expect(TripKind(word: word.utf8) == kind)
    }

    @Test(arguments: ["STILL", "UNKNOWN_ACTIVITY_TYPE", "", "Other", String(repeating: "walking", count: 9)])
    func otherWordsTellNothing(word: String) { #expect(TripKind(word: word.utf8) == nil) }

    @Test func eachKindIsItsOwnWordAndHasANumber() {
        for kind in TripKind.allCases {
            #expect(TripKind(word: kind.rawValue.utf8) == kind)
            #expect(TripKind(number: kind.number) == kind)
        }
        #expect(TripKind(number: 0) == nil)
        #expect(TripKind(number: .max) == nil)
        #expect(Set(TripKind.allCases.map(\.number)).count == TripKind.allCases.count)
    }
}
