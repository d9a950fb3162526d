public import Positioning
import Receivers
import Service
public import Tracking

/// The fixes of recordings, explained as a replay would see them.
public struct RecordedFixes {
    /// What is asked.
    private let question: Explanation.Question
    private let geofence: Geofence
    private let policy: TrackingPolicy
    private var devices: [String] = []
    private var courses: [String: Course] = [:]

    private struct Course {
        var tracker: Tracker
        var explainer: Explainer
        var explanation: Explanation
    }

    /// An explanation of what recordings tell of a geofence about a moment.
    public init(_ question: Explanation.Question, _ geofence: Geofence, policy: TrackingPolicy) {
        self.question = question
        self.geofence = geofence
        self.policy = policy
    }

    /// Goes through the next recording, to its end.
    ///
    /// - Parameters:
    ///   - device: instead of the file's name.
    ///   - date: the day on which a log without dates begins.
    /// - Throws: `RecordingError` where it cannot be read further.
    public mutating func read(
        _ path: String, device: String? = nil, date: CalendarDate? = nil
    ) throws(RecordingError) {
        let recording = try Recording(path: path, date: date)
        let device = device ?? recording.device
        if courses[device] == nil { devices.append(device) }
        var course =
            courses.removeValue(forKey: device)
            ?? Course(
                tracker: Tracker(device: device, policy: policy),
                explainer: Explainer(geofence, device: device, policy: policy), explanation: Explanation(question))
        let nothing = GeofenceIndex()
        var output = Tracker.Output()
        defer {
            course.tracker.finish(into: &output)
            courses[device] = course
        }
        while let fixes = try recording.next() {
            for fix in fixes {
                let verdict = course.tracker.ingest(fix, in: nothing, into: &output)
                output = Tracker.Output()
                course.explanation.add(course.explainer.explain(fix, verdict))
            }
        }
    }

    /// What was found of each device, in the order of the recordings.
    public var answers: [ExplanationAnswer] {
        devices.compactMap { device in
            courses[device].map {
                ExplanationAnswer(
                    device: device, source: .recording, geofence: geofence, explanation: $0.explanation)
            }
        }
    }
}
