public import Positioning
import Receivers
import Service
public import Time
public import Tracking

/// The explanations from the fixes of recordings, which are tracked as a replay would track them.
public struct RecordedFixes {
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

    /// Creates an explanation without fixes, for a question about a geofence.
    public init(_ question: Explanation.Question, _ geofence: Geofence, policy: TrackingPolicy) {
        self.question = question
        self.geofence = geofence
        self.policy = policy
    }

    /// Reads a recording to its end.
    ///
    /// Several recordings of one device continue each other.
    ///
    /// - Parameters:
    ///   - device: The device's name; the default is taken from the recording.
    ///   - date: The first day of a log that has times without dates.
    ///
    /// - Throws: `RecordingError` if the recording cannot be read any further.
    public mutating func read(
        _ path: String, device: String? = nil, date: CalendarDate? = nil
    ) throws(RecordingError) {
        let recording = try TidyRecording(path: path, date: date)
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

    /// One explanation for each device, in the order in which the devices were first read.
    public var answers: [ExplanationAnswer] {
        devices.compactMap { device in
            courses[device].map {
                ExplanationAnswer(
                    device: device, source: .recording, geofence: geofence, explanation: $0.explanation)
            }
        }
    }
}
