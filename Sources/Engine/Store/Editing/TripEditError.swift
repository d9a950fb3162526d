public import Time

/// The reason why a trip cannot be changed as requested.
public enum TripEditError: Error, Hashable, Sendable {
    /// There is no trip with this id.
    case unknown(id: String)
    /// There is no stop with this id.
    case unknownStop(id: String)
    /// The stop has not ended yet.
    case stopNotEnded(id: String)
    /// The trip has not ended yet.
    case notEnded(id: String)
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
        case .unknownStop(let id):
            "There is no stop \(id); trips.get lists those of a trip, and the events stop.end name all."
        case .stopNotEnded(let id): "The stop \(id) has not ended yet. Remove it when it has ended."
        case .notEnded(let id): "The trip \(id) has not ended yet. Change it when it has ended."
        case .noPoints(let id): "The points of the trip \(id) are no longer stored. You can only remove the trip."
        case .same(let id): "You cannot merge the trip \(id) with itself. Give two trips."
        case .differentDevices(let first, let second):
            "The trips belong to the devices \(first) and \(second). You can only merge trips of the same device."
        case .overlapping(let first, let second):
            "The trip \(second) begins before \(first) ends. You can only merge trips that do not overlap."
        case .between(let id): "The trip \(id) lies between the two trips. Merge it with one of them first."
        case .notWithin(let time, let id):
            "The trip \(id) has no point up to \(time), or none after it. Give a time between its start and its end."
        case .nothingThere(let id): "The trip \(id) has no point at that time. Call trips.trace to get its points."
        case .nothingLeft(let id): "The trip \(id) would have no points left. Remove the trip instead."
        case .nothingToUndo(let id): "The trip \(id) has no change that can be undone."
        case .changedLater(let id): "The trip \(id) was changed again later. Undo that change first."
        case .tooManyParts(let id):
            "The trip \(id) already has \(TripEditing.maximumParts) parts, the maximum. Undo some of its changes first."
        }
    }
}
