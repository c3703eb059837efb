import Foundation
import PipelineConfig

/// An envelope as a program reads it.
struct Envelope: Decodable {
    struct Tier: Decodable {
        let source: String
        let outcome: String
        let ms: Double
        let reason: String?
    }

    struct Write: Decodable {
        let source: String
        let outcome: String
        let reason: String?
    }

    struct Problem: Decodable {
        let code: String
        let message: String
    }

    let pipeline: String
    let parameters: [String: String]
    let outcome: String
    let from: String?
    let stale: Bool
    let age: Double?
    let freshFor: Double?
    let tiers: [Tier]
    let writes: [Write]
    let error: Problem?

    private enum CodingKeys: String, CodingKey {
        case pipeline, parameters, outcome, from, stale, tiers, writes, error
        case age = "age_ms"
        case freshFor = "fresh_for_ms"
    }

    /// The envelope that is all of the standard output.
    init(_ ran: Ran) throws {
        self = try JSONDecoder().decode(Envelope.self, from: Data(ran.output))
    }

    /// One envelope for each line of the standard output.
    static func all(_ ran: Ran) throws -> [Envelope] {
        try ran.lines.map { try JSONDecoder().decode(Envelope.self, from: Data($0.utf8)) }
    }
}
