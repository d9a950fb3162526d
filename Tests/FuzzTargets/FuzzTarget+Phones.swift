import Phones
import Positioning
import RPC
import Time

extension FuzzTarget {
    /// A request of a tracking app: the bytes are its body, and also its query and its header.
    static let phones = FuzzTarget(
        "phones",
        seeds: [
            #"{"_type":"location","lat":41.5,"lon":2.25,"tst":1700000000,"acc":10,"vel":36,"t":"p","poi":"\ud83d\ude00"}"#,
            #"[{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":9},{"_type":"lwt"}]"#,
            #"{"device_id":"x","location":{"timestamp":"2023-11-14T22:13:20Z","coords":{"latitude":1,"longitude":2}}}"#,
            #"{"locations":[{"geometry":{"coordinates":[2,1]},"properties":{"timestamp":"2023-11-14T22:13:20-0700"}}]}"#,
            "id=x&timestamp=2023-11-15T00:13:20%2B02:00&lat=41.5&lon=2.25&speed=10&location=1%2C2&hdop=3&app=osmand",
            "lat=41.5&lon=2.25&alt=0.0&acc=8&dir=90&spd=5&timestamp=1700000000&time=2023-11-14T22:13:20.250Z",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let heads = [
            PhoneRequest.Head(), .init(path: text, query: text, authorization: text),
            .init(query: text, authorization: "Basic " + text),
        ]
        for head in heads {
            let request = PhoneRequest(head: head, body: bytes)
            if let secret = request.secret { demand(PhoneSecret(secret.text) == secret, "a secret is not read again") }
            let report = PhoneReport(reading: request)
            var timeline = ReportedTimeline(lastAccepted: nil)
            var last = Timestamp.earliest
            for fix in report.fixes {
                demand(last <= fix.time && fix.fix.time == fix.time, "fixes are not sorted")
                last = fix.time
                if timeline.order(of: fix.time, latest: nil, isStored: { _ in false }) == .new {
                    timeline.record(fix.time, isAccepted: true)
                }
            }
            demand(report.fixes.isEmpty || timeline.lastAccepted == last, "the last fix is not accepted")
            demand(report.ignored.values.allSatisfy { $0 > 0 }, "a reason is counted without a cause")
        }
        let setup = PhoneSecret(text).map { PhoneSetup(device: text, secret: $0, server: text) }
        _ = setup?.config
        // A large code takes a millisecond, in which the rest runs a hundred times.
        guard text.utf8.count < 64 || text.utf8.count > QRCode.maximumLength else { return }
        let code = QRCode(text)
        demand((code != nil) == (text.utf8.count <= QRCode.maximumLength), "a code holds other texts than it says")
    }
}
