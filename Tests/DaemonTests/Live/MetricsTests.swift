import RPC
import Testing

@testable import Daemon

/// The metrics for monitoring.
@Suite struct MetricsTests {
    @Test func devicesWithSimilarNamesStayDistinct() {
        let names = ["van 1", "van_1", "van/1", "vän", "v\"n", "v\\n", "v\nn", "v\\\"n"]
        let devices = names.map { JSONValue.object(["device": .string($0), "accepted": 1]) }
        let lines = Metrics.text(of: ["devices": .array(devices)]).split(separator: "\n")
        #expect(
            lines.map(String.init) == [
                #"waymark_device_accepted{device="van 1"} 1"#, #"waymark_device_accepted{device="van_1"} 1"#,
                #"waymark_device_accepted{device="van/1"} 1"#, #"waymark_device_accepted{device="vän"} 1"#,
                #"waymark_device_accepted{device="v\"n"} 1"#, #"waymark_device_accepted{device="v\\n"} 1"#,
                #"waymark_device_accepted{device="v\nn"} 1"#, #"waymark_device_accepted{device="v\\\"n"} 1"#,
            ])
        #expect(Set(lines).count == names.count)
    }
}
