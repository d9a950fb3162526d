import Geodesy
import Positioning
import TestSupport
import Testing

@testable import MQTT

/// What is sent, and when.
@Suite struct WindowTests {
    @Test(arguments: 1...UInt64(50))
    func theWindowReachesAnEventWhenAllBeforeItAreDelivered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = DeliveryWindow(after: 0)
        var open: [Int64: Set<Int32>] = [:]
        var begun: Int64 = 0
        var message: Int32 = 0
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                begun += 1
                if Int.random(in: 0..<4, using: &random) == 0 {
                    window.pass(begun)
                    open[begun] = []
                } else {
                    window.begin(begun)
                    open[begun] = []
                    for _ in 0..<Int.random(in: 1...2, using: &random) {
                        message += 1
                        window.add(message)
                        open[begun]?.insert(message)
                    }
                    window.finish()
                }
            } else if let (event, messages) = open.filter({ !$0.value.isEmpty }).randomElement(using: &random),
                let one = messages.randomElement(using: &random)
            {
                let (first, second) = (window.acknowledge(one), window.acknowledge(one))
                #expect(first && !second)
                open[event]?.remove(one)
            }
            var reached: Int64 = 0
            while reached < begun, open[reached + 1]?.isEmpty == true { reached += 1 }
            #expect(window.reached == reached)
            #expect(window.waiting == open.values.reduce(0) { $0 + $1.count })
        }
    }

    @Test(arguments: 1...UInt64(20))
    func positionsKeepTheirDistanceInTimeAndSpace(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var conflation = PositionConflation(interval: 10, distance: 25)
        var told: (moment: Double, fix: Fix)?
        var fix = Fix(time: nil, coordinate: try #require(Coordinate(latitude: 52, longitude: 4)))
        fix.speed = .metersPerSecond(5)
        for step in 0..<2000 {
            let moment = Double(step)
            let latitude = fix.coordinate.latitude + Double.random(in: 0...0.00008, using: &random)
            var next = Fix(time: nil, coordinate: try #require(Coordinate(latitude: latitude, longitude: 4)))
            next.speed = .metersPerSecond(5)
            fix = next
            let isTold = conflation.tells(fix, at: moment)
            let way = told.map { Sphere.distance(from: $0.fix.coordinate, to: fix.coordinate).meters }
            let isDue = told.map { moment - $0.moment >= 10 && (way ?? 0) >= 25 } ?? true
            #expect(isTold == isDue)
            if isTold { told = (moment, fix) }
        }
    }

    @Test func aDeviceThatStopsIsToldAfterTheInterval() throws {
        var conflation = PositionConflation(interval: 10, distance: 25)
        var fix = Fix(time: nil, coordinate: try #require(Coordinate(latitude: 52, longitude: 4)))
        fix.speed = .metersPerSecond(5)
        var told = [conflation.tells(fix, at: 0)]
        fix.speed = .metersPerSecond(0)
        for moment in [9.0, 10, 100] { told.append(conflation.tells(fix, at: moment)) }
        #expect(told == [true, false, true, false])
    }

    @Test func aTripsBeginAndEndAreToldAtOnce() {
        var devices = PublishedDevices(interval: 10, distance: 25)
        var van = Devices.van
        var told = [0.0, 1].map { devices.tells(van, at: $0, isForced: false) }
        van.isMoving = false
        told.append(devices.tells(van, at: 2, isForced: false))
        van.trip = nil
        told += [3.0, 4].map { devices.tells(van, at: $0, isForced: false) }
        told.append(devices.tells(van, at: 5, isForced: true))
        #expect(told == [true, false, true, true, false, true])
    }
}
