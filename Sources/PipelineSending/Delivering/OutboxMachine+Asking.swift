package import Pipeline

// What a person asks for.
extension OutboxMachine {
    /// What a person asked for cannot be done, for this reason: a sentence part.
    package struct Refusal: Error, Equatable {
        package let reason: String
    }

    /// Puts one that is held or has failed back at its number. It begins anew: what its tries came to counts no more, and it expires as one that
    /// is taken in now.
    ///
    /// - Parameter row: as the disk has it.
    package mutating func retry(_ row: SendRow, at place: SendPlace?, now: Timestamp) throws(Refusal) -> [Step] {
        var row = items[row.number]?.row ?? row
        guard row.state == .failed || row.state == .held else { throw Refusal(reason: "it is \(row.state.rawValue)") }
        guard let place else {
            throw Refusal(reason: row.isUnreadable ? "it cannot be read" : "the file has no send `\(row.name)`")
        }
        for temporary in place.needs.sorted() {
            guard case .missing(let words)? = outcomes.outcome(of: temporary, before: row.number) else { continue }
            throw Refusal(reason: "it needs \(temporary), \(words)")
        }
        row.putBack(at: now)
        outcomes.forget(row)
        items[row.number] = nil
        keep(row, at: place, now: now)
        return [.changed(row)] + fillIDs(of: row.number, at: now)
    }

    /// Gives one up. One that is being tried is given up when that has ended, unless it is sent by then.
    ///
    /// - Parameter row: as the disk has it.
    /// - Returns: nil if the try must end first.
    package mutating func drop(_ row: SendRow, at now: Timestamp) throws(Refusal) -> [Step]? {
        let row = items[row.number]?.row ?? row
        if row.state == .sent || row.state == .dropped || row.state == .merged { throw Refusal(reason: "it is \(row.state.rawValue)") }
        if let work = items[row.number]?.work, work.kind != .findingTag {
            items[row.number]?.isToBeDropped = true
            return nil
        }
        if row.state == .sending { throw Refusal(reason: "another process tries it at the moment") }
        if items[row.number] == nil { keep(row, at: nil, now: now) }
        return dropped(row.number, at: now)
    }

    /// Gives one up whose try has ended, if a person asked for that.
    mutating func dropIfAsked(_ number: Int64, at now: Timestamp) -> [Step] {
        guard let item = items[number], item.isToBeDropped, item.work == nil else { return [] }
        return item.row.state == .waiting || item.row.state == .held ? dropped(number, at: now) : []
    }

    private mutating func dropped(_ number: Int64, at now: Timestamp) -> [Step] {
        guard let row = items[number]?.row else { return [] }
        let words = row.firstUncertain != nil ? "the origin may have made the change" : nil
        return set(number, at: now) { $0.end(.dropped, words, at: now) } + (row.tries > 0 ? [.load(row)] : [])
    }

    /// Caches that outlive the process have what one that is `sent` changed.
    package mutating func settled(_ number: Int64) -> [Step] {
        guard let row = items[number]?.row, row.state == .sent else { return [] }
        return set(number, at: row.ended ?? row.taken) { $0.isSettled = true }
    }
}

extension SendRow {
    /// A person puts it back.
    fileprivate mutating func putBack(at now: Timestamp) {
        wait()
        (faults, conflicts, firstTry, firstUncertain, status, detail) = (0, 0, nil, nil, nil, nil)
        ended = now
    }
}
