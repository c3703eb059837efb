import Foundation

/// Requests for keys, numbered from 0.
struct Trace {
    let name: String
    let requests: [Int]

    init(name: String, requests: [Int]) {
        self.name = name
        self.requests = requests
    }

    var keyCount: Int { (requests.max() ?? -1) + 1 }

    private static let length = 400_000
    private static let keys = 50_000

    static let all = [zipf, loop, scans]

    /// Some keys much more often than others, as people ask.
    private static var zipf: Trace {
        var generator = SeededGenerator(seed: 1)
        let sampler = ZipfSampler(count: keys, exponent: 0.9)
        return Trace(name: "Zipf 0.9", requests: (0..<length).map { _ in sampler.next(using: &generator) })
    }

    /// All keys in turn, again and again: the case that a cache which keeps the last ones cannot serve at all.
    private static var loop: Trace {
        Trace(name: "loop", requests: (0..<length).map { $0 % (keys / 8) })
    }

    /// The Zipf trace, with a scan now and then: 2,000 keys that are read once.
    private static var scans: Trace {
        var generator = SeededGenerator(seed: 2)
        let sampler = ZipfSampler(count: keys, exponent: 0.9)
        var requests: [Int] = []
        var fresh = keys
        while requests.count < length {
            for _ in 0..<6_000 { requests.append(sampler.next(using: &generator)) }
            requests += fresh..<(fresh + 2_000)
            fresh += 2_000
        }
        return Trace(name: "Zipf 0.9 with scans", requests: requests)
    }

    private static let longest = 250_000

    /// The first requests of a file of 32-bit numbers, least significant byte first.
    init(file: String, name: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: file)).prefix(4 * Self.longest)
        self.init(
            name: name,
            requests: stride(from: 0, to: bytes.count - 3, by: 4).map { start in
                (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
            })
    }
}
