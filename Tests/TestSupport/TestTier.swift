import Foundation
public import Testing

/// The extent of the tests, set by the variable `WAYMARK_TESTS`.
public enum TestTier: String, Comparable, CaseIterable, Sendable {
    /// The tests that each change needs; none starts the executable, waits for it, or takes long.
    case quick
    /// All tests once; the default.
    case all
    /// All tests, for hours: all pairs, all moments, a year.
    case soak

    /// The tier of this run.
    ///
    /// An unknown word in the variable ends the run, because the run would not test what the word asks for.
    public static let current: TestTier = {
        guard let name = ProcessInfo.processInfo.environment["WAYMARK_TESTS"] else { return .all }
        guard let tier = TestTier(rawValue: name) else {
            fatalError("WAYMARK_TESTS is \(name); it must be quick, all or soak")
        }
        return tier
    }()

    /// Whether the tests may take hours.
    public static let isSoak = current == .soak

    /// The seed of random choices: the number in `WAYMARK_SEED`, or 1.
    public static let seed = ProcessInfo.processInfo.environment["WAYMARK_SEED"].flatMap(UInt64.init) ?? 1

    /// Prints a figure in a soak run.
    public static func report(_ text: String) {
        if isSoak { print(text) }
    }

    /// Orders the tiers as they are listed; each includes the one before it.
    public static func < (one: TestTier, other: TestTier) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}

extension Trait where Self == ConditionTrait {
    /// A condition that leaves a test out of the quick tier, because it starts the executable, waits, or takes long.
    public static var slow: Self { .enabled(if: TestTier.current > .quick, "WAYMARK_TESTS=quick leaves it out") }
}
