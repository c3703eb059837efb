import Foundation
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

/// Random damage to a valid file: it may be refused, and never more than that. `make fuzz` damages more of them.
@Suite struct MutationTests {
    static let valid = """
        # friends, and what they eat
        version: 1
        sources:
          memory: { type: memory, max_entries: 10000, max_bytes: "64MiB" }
          disk:
            type: file
            path: '.cache/${ACCOUNT:-me}/{pipeline}/{user}.json'
            durable: yes
            max_entries: 1000
          api: &api
            type: http
            url: ${API}/friends/{user}
            headers: { Authorization: "Bearer ${TOKEN:-x}", Accept: \"\\x61/\\u006A\" }
            query: { page: "1" }
            timeout: 2s
          copy: { <<: *api, url: "http://me:pässwörd@[::1]:8080/{user}" } # pipe-run: allow P309 nobody's
        pipelines:
          friends:
            description: >
              text over
              lines
            parameters: { user: { default: "me" } }
            tiers:
              - &cache { source: memory, ttl: 30s, jitter: 10% }
              - { <<: *cache, source: disk, debounce: 2s, retry: { attempts: 3 } }
              - api
            write_back: { api: [memory, disk] }
            stale_if_error: 1h30m
          others: { parameters: [user], tiers: [*cache, copy], refresh_ahead: 0.8 }
        """

    private static let pieces: [[UInt8]] =
        [
            "*", "&a ", "*api", "<<: *api", "{", "}", "[", "]", ": ", "- ", "? ", "\t", "\r\n", "\n", "\"", "'", "|\n", ">\n", "#", "---\n",
            "...\n", "%YAML 1.1\n", "!x ", "${", "${X}",
            "${file:x}", "{key}", "\u{FEFF}", "\u{85}", "\u{2028}", "\0", "\u{7}", "é", "🙂", "@", "`", "~", "-1", "9999999999999999999999",
            "\u{301}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]

    static func mutated(_ text: [UInt8], with random: inout SplitMix64) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !text.isEmpty else { return text }
            let index = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: text[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: text.removeSubrange(index..<min(text.count, index + Int.random(in: 1...20, using: &random)))
            case 2, 3: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
            case 4:
                var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                lines.swapAt(Int.random(in: 0..<lines.count, using: &random), Int.random(in: 0..<lines.count, using: &random))
                text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
            default: text.insert(contentsOf: text[index..<min(text.count, index + Int.random(in: 1...60, using: &random))], at: index)
            }
        }
        return text
    }

    @Test func `the text is valid before it is damaged`() {
        #expect(Reading.report(Self.valid).summary == [])
    }

    @Test(arguments: 0..<8) func `damaged texts are read or refused`(_ part: Int) {
        let valid = Array(Self.valid.utf8)
        var random = SplitMix64(seed: UInt64(part) + 2026)
        var refused = 0

        for round in 0..<500 {
            let text = Self.mutated(valid, with: &random)
            let file = ConfigFile(text: text, name: "f")
            let report = file.report(plugins: Reading.plugins, environment: Reading.environment)
            let lines = file.lines
            refused += report.diagnostics.contains { $0.severity == .error } ? 1 : 0

            let problem = report.diagnostics.first { diagnostic in
                let ranges = [diagnostic.range] + diagnostic.related.compactMap(\.range)
                return !ranges.allSatisfy { Self.isInside($0, lines) } || diagnostic.message.unicodeScalars.count > 400
            }
            if let problem {
                Issue.record(
                    "round \(round) of \(part): \(problem.code.rawValue) \(problem.message) \(problem.range) in \(String(decoding: text, as: UTF8.self).debugDescription)"
                )
                return
            }
            if report.diagnostics.count > 300 { Issue.record("round \(round) of \(part): \(report.diagnostics.count) diagnostics") }
            if round % 50 == 0 { _ = Reading.printed(file) }
        }

        #expect(refused > 240 && refused < 500)
    }

    /// Inside of the text or at the end of a line or of the text; a block may end where a line would begin that is not there.
    private static func isInside(_ range: TextRange, _ lines: SourceLines) -> Bool {
        [range.start, range.end].allSatisfy { position in
            1...(lines.count + 1) ~= position.line && 1...(lines[position.line].unicodeScalars.count + 2) ~= position.column
        } && range.start <= range.end
    }
}
