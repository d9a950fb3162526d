import EventStream
import Testing

@Suite struct DoorWatchTests {
    private final class Caller {}

    private let watch = DoorWatch()
    private let start = ContinuousClock.now

    @Test func aDoorHangsOnceACallerHasWaitedForLong() {
        let (first, second) = (Caller(), Caller())
        watch.noteWaiting(ObjectIdentifier(first), at: start)
        watch.noteWaiting(ObjectIdentifier(second), at: start + .seconds(5))
        #expect(watch.state(isListening: true, at: start + .seconds(10)) == .open)
        #expect(watch.state(isListening: true, at: start + .seconds(11)) == .hanging(.seconds(11)))
        watch.noteTaken(ObjectIdentifier(first))
        #expect(watch.state(isListening: true, at: start + .seconds(11)) == .open)
        #expect(watch.state(isListening: true, at: start + .seconds(16)) == .hanging(.seconds(11)))
        watch.noteTaken(ObjectIdentifier(second))
        #expect(watch.state(isListening: true, at: start + .seconds(1000)) == .open)
    }

    @Test func aDoorIsClosedIfItsListenerOrItsLoopIsGoneAndNobodyStoppedIt() {
        #expect(watch.state(isListening: false) == .closed)
        watch.noteEnd()
        #expect(watch.state(isListening: true) == .closed)
        watch.noteStop()
        #expect(watch.state(isListening: false) == .open)
    }
}
