import Dispatch
import GRDB
import Glibc
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(2))) struct ReadingExecutorTests {
    /// Blocks the thread, as a read of a slow disk does.
    private static func block(on gate: DispatchSemaphore) { gate.wait() }

    @Test func aTaskOfTheExecutorReadsOnItsOwnThread() async throws {
        let folder = try TemporaryFolder()
        let store = try LocationDatabase.open(at: folder.path + "/store")
        let task = Task(executorPreference: store.executor) {
            let before = pthread_self()
            let reading = try await store.read { _ in pthread_self() }
            return [before, reading, pthread_self()]
        }
        #expect(Set(try await task.value).count == 1)
    }

    @Test(arguments: [1, 2]) func jobsRunWhileOthersWaitForTheDisk(processors: Int) async {
        let executor = ReadingExecutor(waiting: 3, processors: processors)
        let gate = DispatchSemaphore(value: 0)
        await withDiscardingTaskGroup { group in
            for _ in 0..<3 { group.addTask(executorPreference: executor) { Self.block(on: gate) } }
            group.addTask(executorPreference: executor) { for _ in 0..<3 { _ = gate.signal() } }
        }
    }

    @Test func aJobThatATaskStartsBeforeItWaitsRunsMeanwhile() async {
        let executor = ReadingExecutor(waiting: 3, processors: 1)
        let gate = DispatchSemaphore(value: 0)
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) {
                let other = Task(executorPreference: executor) { _ = gate.signal() }
                Self.block(on: gate)
                await other.value
            }
        }
    }

    @Test func everyJobRunsOnce() async {
        let executor = ReadingExecutor(waiting: 3, processors: 2)
        let runs = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<3 { await Task.yield() }
                    return executor.isCurrent ? 1 : 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(runs == 500)
    }
}
