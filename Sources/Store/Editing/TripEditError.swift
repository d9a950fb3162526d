public import Positioning

/// The reason why a trip cannot be changed as requested.
public enum TripEditError: Error, Hashable, Sendable {
    /// There is no trip with this id.
    case unknown(id: String)
    /// The trip has not ended yet.
    case goesOn(id: String)
    /// The points of the trip are no longer stored.
    case noPoints(id: String)
    /// A trip cannot be merged with itself.
    case same(id: String)
    /// The trips belong to different devices.
    case differentDevices(String, String)
    /// One of the trips begins before the other has ended.
    case overlapping(String, String)
    /// Another trip of the device lies between the two.
    case between(id: String)
    /// The trip has no point at or before that time, or none after it.
    case notWithin(Timestamp, id: String)
    /// The trip has no point at that time, or in that period.
    case nothingThere(id: String)
    /// The trip would have no points left.
    case nothingLeft(id: String)
    /// There is no change of the trip to undo.
    case nothingToUndo(id: String)
    /// Another trip of the same change was changed again later.
    case changedLater(id: String)
    /// The trip has too many parts already.
    case tooManyParts(id: String)
}

extension TripEditError: CustomStringConvertible {
    /// A sentence for people: the problem and what to do about it.
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
