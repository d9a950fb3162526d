import Logging
import Receivers

/// The receivers that the daemon reads, each in its own task; the set can change.
actor ReceiverSet {
    private let pipeline: LivePipeline
    private let logger: Logger
    private var turn: Task<Void, Never>?
    private var running: [String: (receiver: Receiver, task: Task<Void, Never>)] = [:]

    /// Creates an empty set whose receivers report to a pipeline.
    init(into pipeline: LivePipeline, logger: Logger) {
        self.pipeline = pipeline
        self.logger = logger
    }

    /// Reads exactly these receivers: others are stopped, and unchanged ones continue without interruption.
    ///
    /// Calls wait for each other, so the last one wins.
    func read(_ receivers: [Receiver]) async {
        let before = turn
        let task = Task {
            await before?.value
            await replace(by: receivers)
        }
        turn = task
        await task.value
    }

    private func replace(by receivers: [Receiver]) async {
        let wanted = Dictionary(receivers.map { ($0.name, $0) }) { $1 }
        for (name, old) in running where wanted[name]?.address != old.receiver.address {
            await end(name)
        }
        await pipeline.keep(receivers: Set(wanted.keys), at: wanted.mapValues(\.address))
        for receiver in receivers where running[receiver.name] == nil {
            logger.info("reading \(receiver.name) from \(receiver.address)")
            let pipeline = pipeline
            let isRecording = receiver.address.isFile
            let known = await pipeline.devices(ofReceiver: receiver.name)
            running[receiver.name] = (
                receiver,
                Task {
                    await receiver.run(known: known) {
                        pipeline.receiveAtOnce($0)
                    } _: {
                        await pipeline.receive($0, isRecording: isRecording)
                    }
                }
            )
        }
    }

    /// Stops all receivers; by the time it returns, all their reports have been processed.
    func endAll() async {
        for name in running.keys { running[name]?.task.cancel() }
        for name in running.keys { await end(name) }
    }

    private func end(_ name: String) async {
        guard let task = running.removeValue(forKey: name)?.task else { return }
        task.cancel()
        await task.value
    }
}
