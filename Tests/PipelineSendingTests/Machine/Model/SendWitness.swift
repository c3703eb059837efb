import Pipeline

@testable import PipelineSending

/// What is seen of a run, and what is wrong with it.
struct SendWitness {
    private(set) var problem: String?
    /// The tries of a send since a person put it back: how many have begun, and how many surely changed nothing.
    private var asks: [Int64: (begun: Int, harmless: Int)] = [:]
    /// Those that a person has put back.
    private(set) var retriedNumbers: Set<Int64> = []
    /// Those that hold no lane, or held none once.
    private(set) var free: Set<Int64> = []
    /// Those who have heard that a send is made, and live or have written it.
    private var hearers: [Int64: Set<String>] = [:]
    /// The last state on the disk.
    private var states: [Int64: SendState] = [:]

    mutating func fail(_ problem: String) { self.problem = self.problem ?? problem }

    mutating func asked(_ number: Int64) { asks[number, default: (0, 0)].begun += 1 }

    mutating func ended(_ number: Int64, _ result: TryResult) {
        if result.isUnprocessed { asks[number]?.harmless += 1 }
    }

    /// A process has heard that a send is made; it is killed before it could write that.
    mutating func accepted(_ number: Int64, by holder: String) { hearers[number, default: []].insert(holder) }
    mutating func killed(_ holder: String) { for number in hearers.keys { hearers[number]?.remove(holder) } }

    /// Whether it must be noted that a send is made.
    func isKnownMade(_ number: Int64) -> Bool { hearers[number]?.isEmpty == false }

    mutating func retried(_ number: Int64) {
        asks[number] = nil
        retriedNumbers.insert(number)
    }

    /// Whether the origin may have made the change by a try that has begun.
    func mayBeMade(_ number: Int64) -> Bool { asks[number].map { $0.begun > $0.harmless } ?? false }

    /// A row is on the disk.
    mutating func written(_ row: SendRow) {
        let before = states.updateValue(row.state, forKey: row.number)
        if row.state.isDone || row.state == .held { free.insert(row.number) }
        if row.state == .sent { hearers[row.number, default: []].insert("the disk") }
        switch before {
        case .sent where row.state != .sent, .dropped where row.state != .dropped && row.state != .sent, .merged where row.state != .merged:
            fail("\(row.number) is \(row.state) after \(before?.rawValue ?? "")")
        default: break
        }
    }
}
