/// Plays one case: sends its requests one after the other, and compares as the suite's own runner does.
///
/// The suite also compares every field of every answer with what the origin sent, as a part of the preparation. `serve` writes its own
/// fields, so that only those count here that a case names.
final class SuitePlay {
    /// What a client asks next.
    struct Question {
        /// Path and query.
        let target: String
        let conditions: [(name: String, value: String)]
    }

    let played: SuiteCase
    /// A name that can stand in URLs and in files.
    let name: String
    let origin: SuiteOrigin
    private var index = 0
    private var former: SuiteAnswer?
    /// What came of it; nil before the end.
    private(set) var verdict: SuiteVerdict?

    /// - Parameters:
    ///   - now: the origin's clock, in seconds since 1970.
    ///   - pause: lets so many seconds pass, in which the origin thinks.
    init(_ played: SuiteCase, now: @escaping @Sendable () -> Double, pause: @escaping @Sendable (Int) -> Void) {
        self.played = played
        name = played.id.filter { $0.isLetter || $0.isNumber || $0 == "-" }
        origin = SuiteOrigin(played, now: now, pause: pause)
    }

    /// What the configuration has for the next request.
    ///
    /// - Parameter server: the URL of the server with all origins.
    func part(at server: String) -> SuiteFile.Part {
        // The answers that the case wants to see kept are values, whatever their status.
        let accepted = played.requests.first?.responseStatus.map { 200...299 ~= $0.code ? [] : [$0.code] } ?? []
        let request = played.requests[min(index, played.requests.count - 1)]
        let upstream = (request.requestHeaders ?? []).filter { !Self.isCondition($0) }
        return SuiteFile.Part(
            name: name, origin: "\(server)/\(name)", accepted: accepted, servesStale: played.damage > 0 && !played.allowsStale,
            upstream: upstream)
    }

    private static func isCondition(_ field: SuiteField) -> Bool {
        ["if-none-match", "if-modified-since"].contains(field.name.lowercased())
    }

    /// Sends the next request, and notes the verdict where it is the last one, or where something does not hold.
    ///
    /// - Parameter ask: the bytes of the answer to a client.
    /// - Returns: whether time passes before the next one.
    func step(_ ask: (Question) async throws -> [UInt8]) async throws -> Bool {
        let request = played.requests[index]
        let base = former?["Server-Now"].flatMap { Double($0) }.map { $0 / 1000 } ?? 0
        let question = Question(
            target: "/\(name)" + (request.queryArgument.map { "?query=\($0.replacing("=", with: "%3D"))" } ?? ""),
            conditions: (request.requestHeaders ?? []).filter(Self.isCondition).map { ($0.name, request.written($0, at: base)) })
        index += 1
        origin.expect(index)
        let answer = try SuiteAnswer(try await ask(question), bare: origin.bare)
        former = answer
        do {
            try SuiteChecks(request, number: index, id: played.id).check(answer, at: base)
            if index == played.requests.count {
                try SuiteChecks.check(origin.asked, of: played)
                verdict = .passed
            }
        } catch {
            verdict = error.isPreparation ? .unprepared(error.message) : .failed(error.message)
        }
        return request.pausesAfter == true
    }
}
