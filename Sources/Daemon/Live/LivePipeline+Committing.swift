import Dispatch
import EventStream
import Logging
import Store

extension LivePipeline {
    /// Commits what is due, until the task is cancelled; then everything, and returns.
    ///
    /// - Throws: ``CommitOverflow`` where the store has failed for too long; `StoreError` where the last commit fails, or
    ///   the store is not the one any more that was opened, so that trying again could write an event twice.
    func commitUntilCancelled() async throws {
        // Whatever ends this, nobody must go on waiting for it.
        defer { release() }
        while await waitUntilWoken() {
            try await commitWhatIsDue()
            try await answerProbes()
        }
        isDraining = true
        repeat {
            _ = await commit()
            if let failure { throw failure.error }
        } while !pipeline.load.isNone
    }

    /// Has the committing task look for what is due, now or as soon as it has done so.
    private func wake() {
        isWoken = true
        committer?.resume()
        committer = nil
    }

    /// Waits for there to be something to do; false where the task was cancelled.
    ///
    /// A continuation stays on the actor, where a stream would go over another thread.
    private func waitUntilWoken() async -> Bool {
        await withTaskCancellationHandler {
            if !isWoken, !Task.isCancelled { await withCheckedContinuation { committer = $0 } }
        } onCancel: {
            Task { await self.wake() }
        }
        isWoken = false
        return !Task.isCancelled
    }

    /// Waits until a probe has come through where fixes and events go: the trackers, the committing task, the
    /// store's writer and the hub.
    ///
    /// Nothing is written. It does not return while any of these is stuck, and returns at once where committing has
    /// ended.
    func probe() async {
        guard !isDraining else { return }
        await withCheckedContinuation {
            probes.append($0); wake()
        }
    }

    /// What has come is marked for committing, if it is time.
    func settle(_ now: Double) {
        if failure != nil {
            let dropped = pipeline.dropPoints(beyond: commitPolicy.greatestPoints)
            if dropped > 0, numbers.droppedPoints == 0 { logger.error("The oldest points of traces are dropped.") }
            numbers.droppedPoints += dropped
        }
        if isDue(now) { wake() }
    }

    /// Waits while more is pending than should be.
    ///
    /// Where the store fails only a recording waits, since that may take long, and positions of receivers go on.
    func waitWhileCrowded(isRecording: Bool) async {
        while isCrowded(isRecording: isRecording) {
            await withCheckedContinuation { crowded.append($0) }
        }
    }

    /// Whether more is pending than should be.
    func isCrowded(isRecording: Bool) -> Bool {
        !isDraining && (failure == nil || isRecording) && pipeline.load.sum >= commitPolicy.crowd
    }

    private func release() {
        isDraining = true
        for waiting in crowded + probes { waiting.resume() }
        crowded.removeAll()
        probes.removeAll()
    }

    private func isDue(_ now: Double) -> Bool {
        let load = pipeline.load
        if let failure { return now >= failure.retry || load.events > commitPolicy.greatestEvents }
        // What makes receivers wait must also end it.
        return load.events > 0 || load.points >= min(commitPolicy.points, commitPolicy.crowd)
            || oldestChange.map { now - $0 >= commitPolicy.interval } ?? false
    }

    private func commitWhatIsDue() async throws {
        while isDue(clock.moment()) {
            if await commit() { continue }
            if let failure, failure.error.needsReopening { throw failure.error }
            guard let failure, pipeline.load.events > commitPolicy.greatestEvents else { return }
            throw CommitOverflow(events: pipeline.load.events, cause: failure.error)
        }
    }

    /// Commits all that is pending, and tells of it.
    ///
    /// - Returns: whether that worked; what could not be committed is pending again.
    private func commit() async -> Bool {
        let (changedAt, decidedAt) = (oldestChange, oldestEvent)
        (oldestChange, oldestEvent) = (nil, nil)
        // An event brings the devices it is of; the others' states go with the group, so that one that enters a
        // geofence does not write ten thousand that stand still.
        let isGroup = isDraining || changedAt.map { clock.moment() - $0 >= commitPolicy.interval } ?? false
        let batch = pipeline.take(all: isGroup)
        do throws(StoreError) {
            let stored = batch.pending.isEmpty ? [] : try await kept(batch.pending)
            hub.publish(batch.told(stored).map { JournalEntry($0) })
            numbers.commits += 1
            numbers.events += stored.count
            if let decidedAt { numbers.eventLatency.add(clock.moment() - decidedAt) }
            if failure != nil { logger.notice("The store can be written again.") }
            failure = nil
        } catch {
            pipeline.putBack(batch)
            (oldestChange, oldestEvent) = (changedAt ?? oldestChange, decidedAt ?? oldestEvent)
            numbers.failedCommits += 1
            if failure == nil {
                let outlook = error.needsReopening ? "The daemon ends." : "It is tried again every few seconds."
                logger.critical("\(error). What is pending waits. \(outlook)")
            }
            failure = Failure(error: error, retry: clock.moment() + commitPolicy.retry)
            tickSoon()
        }
        for waiting in crowded { waiting.resume() }
        crowded.removeAll()
        return failure == nil
    }

    /// Commits on a thread of its own, which the end of this task does not interrupt.
    private func kept(_ pending: PendingCommit) async throws(StoreError) -> [StoredEvent] {
        let store = store
        let result: Result<[StoredEvent], StoreError> = await withCheckedContinuation { continuation in
            writer.async {
                do throws(StoreError) {
                    continuation.resume(returning: .success(try store.commit(pending)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func answerProbes() async throws {
        guard !probes.isEmpty else { return }
        let answered = probes
        probes.removeAll()
        defer { for probe in answered { probe.resume() } }
        do {
            try await store.passWriter()
        } catch  where error.needsReopening {
            throw error
        } catch {
            // A store that refuses is not one that hangs.
        }
        _ = await hub.statistics
    }
}

extension Pipeline.Load {
    var isNone: Bool { self == Pipeline.Load() }
    var sum: Int { events + points }
}
