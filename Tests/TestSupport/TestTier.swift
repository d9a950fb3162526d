import Foundation
public import Testing

/// How much the tests try, by the variable `WAYMARK_TESTS`.
public enum TestTier: String, Comparable, CaseIterable, Sendable {
    /// What a change needs: nothing starts the executable, waits for it, or takes long.
    case quick
    /// Everything once; also where the variable is not set.
    case all
    /// Everything, and for hours: all pairs, all moments, a year.
    case soak

    /// The one that this run is of.
    ///
    /// Another word in the variable ends the run, as it would be taken for what it does not do.
    public static let current: TestTier = {
        guard let name = ProcessInfo.processInfo.environment["WAYMARK_TESTS"] else { return .all }
        guard let tier = TestTier(rawValue: name) else {
            fatalError("WAYMARK_TESTS is \(name); it must be quick, all or soak")
        }
        return tier
    }()

    /// Whether there is time for hours.
    public static let isSoak = current == .soak

    /// What chance begins with: the number in `WAYMARK_SEED`, else 1.
    public static let seed = ProcessInfo.processInfo.environment["WAYMARK_SEED"].flatMap(UInt64.init) ?? 1

    /// Prints a figure where there is time to look at it.
    public static func report(_ text: String) {
        if isSoak { print(text) }
    }

    /// As they are listed: each does what the one before does, and more.
    public static func < (one: TestTier, other: TestTier) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}

extension Trait where Self == ConditionTrait {
    /// It starts the executable, waits, or takes long, so that the quick tests leave it out.
    public static var slow: Self { .enabled(if: TestTier.current > .quick, "WAYMARK_TESTS=quick leaves it out") }
}
