import Daemon
import Foundation
import Glibc
import Testing

/// Functions with an address, in whose calls the program ends.
private enum Calls {
    typealias Order = @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Int32

    static let abortingOrder: Order = { _, _ in abort() }
    /// The C library, whose functions keep no frame pointers, is between these two.
    static let sort: @convention(c) () -> Void = {
        var numbers: [Int32] = [2, 1]
        unsafe qsort(&numbers, numbers.count, MemoryLayout<Int32>.size, abortingOrder)
    }
    static let trap: @convention(c) () -> Void = { fatalError("for this test") }
}

@Suite struct CrashMessageTests {
    @Test func aLineNamesTheCallsOnBothSidesOfTheCLibrary() async throws {
        let ending = try #require(
            await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                CrashMessage.install()
                Calls.sort()
            })
        let line = try Line(ending.standardErrorContent)
        #expect(line.signal == "SIGABRT")
        let (order, sort) = unsafe (
            unsafeBitCast(Calls.abortingOrder, to: UInt.self), unsafeBitCast(Calls.sort, to: UInt.self)
        )
        let inner = try #require(try line.position(of: order))
        let outer = try #require(try line.position(of: sort))
        #expect(inner < outer)
    }

    @Test func aTrapNamesItsFunction() async throws {
        let ending = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                CrashMessage.install()
                Calls.trap()
            })
        let line = try Line(ending.standardErrorContent)
        #expect(["SIGILL", "SIGTRAP"].contains(line.signal))
        let trap = unsafe unsafeBitCast(Calls.trap, to: UInt.self)
        #expect(try line.position(of: trap) != nil)
    }

    /// The last line of a program that a signal ended.
    private struct Line {
        let signal: String
        /// Where the calls are in the executable, in bytes from its beginning, innermost first.
        let calls: [UInt]

        init(_ output: [UInt8]) throws {
            let last = try #require(String(decoding: output, as: UTF8.self).split(separator: "\n").last)
            let form = /waymark: ended by (?<signal>[A-Z]+); addr2line -Cfipe [a-z\/]+(?<calls>( [0-9a-f]+)*)/
            let match = try #require(try form.wholeMatch(in: last), "\(last)")
            signal = String(match.output.signal)
            calls = match.output.calls.split(separator: " ").compactMap { UInt($0, radix: 16) }
        }

        /// Returns which call is in a function, given by its address in this process, which runs the same executable.
        func position(of function: UInt) throws -> Int? {
            let start = try function - Self.beginning()
            // The function only passes the call on, and is short.
            return calls.firstIndex { start..<start + 256 ~= $0 }
        }

        /// Returns where the executable begins in memory.
        private static func beginning() throws -> UInt {
            let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
            let first = try #require(maps.first { $0.hasSuffix(executable) })
            return try #require(UInt(first.prefix { $0 != "-" }, radix: 16))
        }
    }
}
