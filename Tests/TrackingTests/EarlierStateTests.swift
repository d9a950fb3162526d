import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// A device whose state was saved by algorithm 2 continues from there.
@Suite struct EarlierStateTests {
    /// A state that the earlier executable saved during a drive.
    private static let onTheWay = """
        {"algorithm":2,"detector":{"device":"van","last":[1777629859000,523735685,48821153,0.3,11.030203333333333,\
        239.4,17.48,0.92,3,11],"numbers":{"bounds":{"easternmost":48997218,"longitude":48830998,"northE7":523778993,\
        "southE7":523725760,"westernmost":48830998},"bridged":0,"climb":{"course":{"level":{"highest":2.3,\
        "lowest":-2.8}},"down":0,"isKnown":true,"up":0},"corner":[523739287,48830998],"fixes":222,"gaps":0,\
        "lastPlace":[523739287,48830998],"lastTime":1777629852000,"length":1474.6023942693532,\
        "maximumSpeed":11.240096666666666,"speedBefore":10.990076666666667,"speedBeforeThat":11.069815555555556,\
        "stopped":0,"stops":0},"rest":{"arrival":[1777629853000,523738770,48829560,0.6,11.130005555555556,239.1,\
        18.62,0.98,3,11],"isHeld":false,"isTold":false,"last":[1777629859000,523735685,48821153,0.3,\
        11.030203333333333,239.4,17.48,0.92,3,11],"motions":3,"spread":4289.991640002416,"spreadTime":6,\
        "strays":{"fixes":[],"skipped":[]},"sumX":4.258051616378397,"sumY":0.36373640550303427,\
        "sumZ":5.544068204754769,"within":{"fixes":[[1777629853000,523738770,48829560,0.6,11.130005555555556,239.1,\
        18.62,0.98,3,11],[1777629854000,523738282,48828213,0.7,10.979787777777776,239.2,18.81,0.99,3,11],\
        [1777629855000,523737753,48826743,1.2,11.26016,239.7,17.29,0.91,3,11],[1777629856000,523737230,48825307,1.6,\
        11.109942222222223,239.7,15.39,0.81,3,11],[1777629857000,523736750,48823940,1.4,11.22980777777778,239,16.34,\
        0.86,3,11],[1777629858000,523736195,48822593,0.9,11.109942222222223,239.8,17.48,0.92,3,11],[1777629859000,\
        523735685,48821153,0.3,11.030203333333333,239.4,17.48,0.92,3,11]],"skipped":[]}},"rests":13,\
        "travelled":{"meters":0},"trip":{"bridged":{"meters":0},"device":"van","distance":{"meters":0},"fixes":0,\
        "gaps":{"meters":0},"id":"van@2026-05-01T10:00:31.000Z","start":1777629631000,"stopped":0,"stops":0}},\
        "engine":{"seenRevision":0,"stays":[],"undecided":[]},"gate":{"last":{"accuracy":17.48,\
        "coordinate":[523735685,48821153],"speed":11.030203333333333,"time":1777629859000},"suspects":0},\
        "isBroken":false,"isFinished":false,"lastPlace":[523735685,48821153],"lastTime":1777629859000}
        """

    /// A state that the earlier executable saved during a stop of that drive.
    private static let atAStop = """
        {"algorithm":2,"detector":{"device":"van","last":[1777630468000,523588827,48810890,0.5,0.029837777777777783,\
        null,16.72,0.88,3,11],"numbers":{"bounds":{"easternmost":48997218,"longitude":48813588,"northE7":523778993,\
        "southE7":523589357,"westernmost":48769058},"bridged":0,"climb":{"course":{"level":{"highest":5,\
        "lowest":-4.6}},"down":0,"isKnown":true,"up":0},"corner":[523589357,48813588],"fixes":570,"gaps":0,\
        "lastPlace":[523589357,48813588],"lastTime":1777630201000,"length":4006.420276397721,\
        "maximumSpeed":12.65018888888889,"speedBefore":8.539777777777779,"speedBeforeThat":8.32011,"stopped":0,\
        "stops":0},"rest":{"arrival":[1777630201000,523589357,48813588,-1.8,8.539777777777779,234,19.19,1.01,3,11],\
        "isHeld":true,"isTold":true,"last":[1777630468000,523588827,48810890,0.5,0.029837777777777783,null,16.72,\
        0.88,3,11],"motions":0,"spread":2472.398279784296,"spreadTime":87,"strays":{"fixes":[],"skipped":[]},\
        "sumX":163.07784644767383,"sumY":13.926410283520418,"sumZ":212.2160952768904,\
        "within":{"fixes":[[1777630468000,523588827,48810890,0.5,0.029837777777777783,null,16.72,0.88,3,11]],\
        "skipped":[]}},"rests":33,"stop":{"device":"van","id":"van@2026-05-01T10:10:01.000Z","place":[523588195,\
        48810619],"start":1777630201000},"travelled":{"meters":0},"trip":{"bridged":{"meters":0},"device":"van",\
        "distance":{"meters":0},"fixes":0,"gaps":{"meters":0},"id":"van@2026-05-01T10:00:31.000Z",\
        "start":1777629631000,"stopped":0,"stops":0}},"engine":{"seenRevision":0,"stays":[],"undecided":[]},\
        "gate":{"last":{"accuracy":16.72,"coordinate":[523588827,48810890],"speed":0.029837777777777783,\
        "time":1777630468000},"suspectSince":1777629995000,"suspects":0},"heldInRest":33,"heldPlace":[523588677,\
        48810452],"isBroken":false,"isFinished":false,"lastPlace":[523588827,48810890],"lastTime":1777630468000}
        """

    @Test(arguments: [(onTheWay, 1_777_629_859.0, 229), (atAStop, 1_777_630_468.0, 570)])
    func anOpenTripContinuesToItsEnd(state: String, last: Double, fixesBefore: Int) throws {
        let saved = try JSONDecoder().decode(Tracker.Saved.self, from: Data(state.utf8))
        var index = GeofenceIndex()
        var tracker = Tracker(device: "van", saved: saved, in: &index)
        let (time, place) = try #require(tracker.position)
        #expect(time == Timestamp(milliseconds: Int64(last * 1000)))
        var journey = Journey()
        journey.origin = place
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 1200)
        var output = Tracker.Output()
        for fix in journey.fixes {
            var fix = fix
            fix.time = fix.time.map { time.advanced(byMilliseconds: $0.milliseconds(since: Journey.begin)) }
            tracker.ingest(fix, in: index, into: &output)
        }
        #expect(!output.types.contains("trip.start"))
        let trip = try #require(output.trips.first)
        #expect(trip.id == "van@2026-05-01T10:00:31.000Z")
        #expect(output.trips.count == 1)
        #expect(abs(trip.fixes - fixesBefore - 300) < 30)
        #expect(try abs(#require(trip.end).seconds(since: time.advanced(byMilliseconds: 300_000))) < 10)
    }
}
