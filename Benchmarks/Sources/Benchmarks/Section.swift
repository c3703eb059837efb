/// The parts of the table, by the names that `ROWS` knows.
enum Section: String, CaseIterable {
    case memory
    case threads
    case cold
    case file
    case sqlite
    case redis
    case miss
    case process
    case validate
    case entries
    case eviction
    case live
    case network
    case simulate
    case record
    case combine
    case sends

    struct UnknownName: Error, CustomStringConvertible {
        let name: String

        var description: String {
            "no rows are called `\(name)`: expected some of \(Section.allCases.map(\.rawValue).joined(separator: ","))"
        }
    }

    /// The sections that a comma-separated list names; all of them for none.
    static func chosen(by list: String?) throws(UnknownName) -> [Section] {
        guard let list, !list.isEmpty else { return allCases }
        var sections: [Section] = []
        for name in list.split(separator: ",") {
            guard let section = Section(rawValue: String(name)) else { throw UnknownName(name: String(name)) }
            sections.append(section)
        }
        return sections
    }

    func measure() async throws -> [Row] {
        switch self {
        case .memory: try await MemoryHits.rows()
        case .threads: try await TwoThreads.rows()
        case .cold: try await ColdKey.rows()
        case .file: try await FileHits.rows()
        case .sqlite: try await SQLiteHits.rows()
        case .redis: try await RedisHits.rows()
        case .miss: try await MissedTiers.rows()
        case .process: try await WholeFetch.rows()
        case .validate: try await WholeValidate.rows()
        case .entries: try await EntrySize.rows()
        case .eviction: try await EvictionRatios.rows()
        case .live: try await LiveChanges.rows()
        case .network: try await NetworkRows.rows()
        case .simulate: try await PlayedTraces.rows()
        case .record: try await RecordedServe.rows()
        case .combine: try await CombinedValues.rows()
        case .sends: try await SendCosts.rows()
        }
    }
}
