public import Positioning

/// Why a trip cannot be changed as someone asks for.
public enum TripEditError: Error, Hashable, Sendable {
    /// There is no trip of this id.
    case unknown(id: String)
    /// The trip goes on.
    case goesOn(id: String)
    /// The points of the trip are no longer kept.
    case noPoints(id: String)
    /// A trip cannot be merged with itself.
    case same(id: String)
    /// The trips are those of different devices.
    case differentDevices(String, String)
    /// One of the trips begins before the other has ended.
    case overlapping(String, String)
    /// Another trip of the device lies between the two.
    case between(id: String)
    /// The trip has no point up to that time, or none after it.
    case notWithin(Timestamp, id: String)
    /// The trip has no point at that time, or none within it.
    case nothingThere(id: String)
    /// Nothing would be left of the trip.
    case nothingLeft(id: String)
    /// Nothing is kept that could be undone.
    case nothingToUndo(id: String)
    /// Another trip of the change was changed later.
    case changedLater(id: String)
    /// The trip is in too many parts already.
    case tooManyParts(id: String)
}

extension TripEditError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .unknown(let id): "There is no trip \(id); trips.list lists them."
        case .goesOn(let id): "The trip \(id) goes on; change it when it has ended."
        case .noPoints(let id): "The points of the trip \(id) are no longer kept: it can only be removed."
        case .same(let id): "The trip \(id) cannot be merged with itself: give two."
        case .differentDevices(let first, let second):
            "The trips are of the devices \(first) and \(second): only trips of one device are merged."
        case .overlapping(let first, let second):
            "The trip \(second) begins before \(first) has ended: only what came one after another is merged."
        case .between(let id): "The trip \(id) lies between the two: merge it with one of them first."
        case .notWithin(let time, let id):
            "The trip \(id) has no point up to \(time), or none after: give a time between its start and its end."
        case .nothingThere(let id): "The trip \(id) has no point there; trips.trace gives its points."
        case .nothingLeft(let id): "Nothing would be left of the trip \(id): remove it instead."
        case .nothingToUndo(let id): "Nothing is kept of the trip \(id) that could be undone."
        case .changedLater(let id): "The trip \(id) was changed later: undo that first."
        case .tooManyParts(let id):
            "The trip \(id) is in \(TripEditing.mostParts) parts already: undo some of its changes first."
        }
    }
}
