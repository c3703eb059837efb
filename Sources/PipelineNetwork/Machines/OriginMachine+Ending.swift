public import Pipeline

// MARK: - Requests under way

extension OriginMachine {
    /// Status and headers came.
    ///
    /// - Parameters:
    ///   - isValue: whether the source takes the status for a value, whatever it is.
    ///   - rest: what `Retry-After` says.
    public mutating func head(_ number: RequestNumber, status: Int, isValue: Bool, retryAfter rest: Duration?, at now: Timestamp) {
        let time = seconds(now)
        guard var request = requests[number], request.head == nil else { return }
        request.head = time - request.begun
        request.status = status
        request.isValue = isValue
        requests[number] = request
        receiving += 1
        if receiving >= 2, tick == nil, limits.concurrency.isAutomatic { tick = (time, 0) }
        if request.isMeasured, !request.isHedge { heads.add(time - request.begun) }
        if isValue || status != 503 { rests.answered() }
        guard request.isPushBack else { return }
        adaptive.pushBack(begun: request.begun, at: time)
        let rested = rests.refuse(
            request.asker, limits.rest, status, sent: request.begun, asking: rest?.seconds, jitter: nextJitter(), at: time)
        refuseHeld(by: rested, at: time)
    }

    /// Counts a part of the body that came.
    public mutating func receive(_ bytes: Int, of number: RequestNumber) {
        requests[number]?.bytes += bytes
        tick?.bytes += bytes
    }

    /// Ends the request, which gives its permit back. A second end does nothing.
    public mutating func end(_ number: RequestNumber, _ outcome: RequestOutcome, at now: Timestamp) {
        guard let request = requests.removeValue(forKey: number) else { return }
        let time = seconds(now)
        count(request.priority, by: -1)
        if request.head != nil { receiving -= 1 }
        lastEnd = time
        decide(request, outcome, at: time)
        learn(request, outcome, at: time)
        release(request.asker, at: time)
        pass(at: time)
        if !queue.isEmpty { service.add(at: time) }
        pump(at: time)
    }

    private mutating func learn(_ request: Request, _ outcome: RequestOutcome, at now: Double) {
        switch outcome {
        case .answered where !request.isFailure:
            failures.add(false)
            budget.add()
            if request.isMeasured { measure(request, at: now) }
            rests.end(request.asker, sent: request.begun, limit: fullLimit, at: now)
        case .answered:
            failures.add(true)
        case .failed:
            failures.add(true)
            adaptive.pushBack(begun: request.begun, at: now)
            if request.head == nil { refuseHeld(by: rests.lost(at: now), at: now) }
        case .unprocessed:
            failures.add(true)
            refuseHeld(by: rests.lost(at: now), at: now)
        case .overtaken:
            if request.head == nil { heads.add(now - request.begun) }
        case .cancelled: break
        }
    }

    private mutating func measure(_ request: Request, at now: Double) {
        let whole = now - request.begun
        wholes.add(whole)
        adaptive.add(
            AdaptiveLimit.Sample(
                begun: request.begun, head: request.head ?? whole, whole: whole, bytes: request.bytes, use: request.use),
            at: now)
    }

    /// Decides which of the two requests of a hedge was faster, if this end says it.
    private mutating func decide(_ request: Request, _ outcome: RequestOutcome, at now: Double) {
        guard let rival = request.rival else { return }
        let isWon: Bool
        switch (request.isHedge, outcome) {
        // The second may still answer.
        case (false, .answered) where request.isFailure, (false, .failed), (false, .unprocessed): return
        case (true, .answered): isWon = !request.isFailure
        case (false, .overtaken): isWon = true
        case (true, _), (false, .answered): isWon = false
        case (false, .cancelled):
            requests[rival]?.rival = nil
            return
        }
        requests[rival]?.rival = nil
        if hedging.decide(won: isWon, at: now) { report(.hedgingPaused(until: moment(hedging.pausedUntil))) }
    }
}

extension OriginMachine.Request {
    /// Indicates whether the time of the answer says something of the origin.
    var isMeasured: Bool { status == 200 || status == 304 || status == 404 }

    /// Indicates whether the origin asked for less.
    var isPushBack: Bool { !isValue && (status == 429 || status == 503) }

    /// Indicates whether the origin failed.
    var isFailure: Bool { !isValue && (status >= 500 || status == 429 || status == 408 || status == 425) }
}
