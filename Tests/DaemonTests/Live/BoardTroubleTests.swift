#if Companion
import Synchronization
import TestSupport
import Testing
import Time
import Uplink

@testable import Daemon

/// What is told of boards whose messages come over the broker.
@Suite struct BoardTroubleTests {
    @Test func aRefusedMessageIsToldForAnHourOrUntilTheSameBoardSendsAGoodOne() throws {
        let time = Mutex(Timestamp(milliseconds: 1_800_000_000_000))
        let troubles = Troubles { time.withLock { $0 } }
        troubles.noteBoard("van", .seal)
        let found = try #require(troubles.all.first)
        #expect(found.id == "uplink-boards" && found.part == .uplink)
        #expect(found.text == "the board van publishes to the broker without the seal of its secret")
        troubles.noteBoard("vans", nil)
        #expect(troubles.all.count == 1)
        troubles.noteBoard("van", nil)
        #expect(troubles.all.isEmpty)
        troubles.noteBoard("a\u{1B}[31m", .stranger)
        #expect(troubles.all.first?.text.utf8.allSatisfy { $0 >= 0x20 } == true)
        time.withLock { $0 = $0.advanced(byMilliseconds: 3_600_000) }
        #expect(troubles.all.isEmpty)
    }
}
#endif
