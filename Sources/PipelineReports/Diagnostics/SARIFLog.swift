internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// Diagnostics as a SARIF 2.1.0 log with one run, for code scanning.
package struct SARIFLog {
    private let version: String
    private let checks: [ConfigCheck]
    /// The codes that occur, which are the rules of the log.
    private let codes: [DiagnosticCode]
    private let indexes: [DiagnosticCode: Int]

    /// - Parameter version: of the program that looked.
    package init(_ checks: [ConfigCheck], version: String) {
        self.version = version
        self.checks = checks
        codes = Set(checks.flatMap { $0.diagnostics.map(\.code) }).sorted { $0.rawValue < $1.rawValue }
        indexes = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
    }

    package var text: String {
        let driver = JSONText.object([
            ("name", .string("pipe-run")),
            ("version", .string(version)),
            ("rules", .lines(codes.map(rule))),
        ])
        let run = JSONText.object([
            ("tool", .object([("driver", driver)])),
            ("invocations", .array([.object([("executionSuccessful", .bool(true))])])),
            ("columnKind", .string("unicodeCodePoints")),
            ("results", .lines(results)),
        ])
        return JSONText.object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
            ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ]).text + "\n"
    }

    private func rule(_ code: DiagnosticCode) -> JSONText {
        let description = RuleDescription(code)
        return .object([
            ("id", .string(code.rawValue)),
            ("name", .string("\(code)")),
            ("shortDescription", Self.message(description.title)),
            ("fullDescription", Self.message(description.meaning)),
            (
                "help",
                .object([
                    ("text", .string(Self.literal(description.help.text))), ("markdown", .string(Self.literal(description.help.markdown))),
                ])
            ),
            ("defaultConfiguration", .object([("level", .string(code.severity.rawValue))])),
            ("properties", .object([("tags", .array([.string("configuration"), .string(code.level.rawValue)]))])),
        ])
    }

    private var results: [JSONText] {
        var fingerprints = Fingerprints()
        return checks.flatMap { check in
            let printer = check.printer(hasColour: false)
            return check.diagnostics.map { diagnostic in
                // Of the masked line: with the rest of the line known, its hash would give away a short secret.
                result(diagnostic, fingerprint: fingerprints.next(diagnostic, line: printer.maskedLine(diagnostic.range.start.line)))
            }
        }
    }

    private func result(_ diagnostic: Diagnostic, fingerprint: String) -> JSONText {
        let remarks = diagnostic.related.filter { $0.range == nil }.map { "\nnote: \($0.message)" }.joined()
        let help = diagnostic.help.map { "\nhelp: \($0)" } ?? ""
        let related = diagnostic.related.compactMap { related in related.range.map { (message: related.message, range: $0) } }
        let fixes = diagnostic.fix.map { [("fixes", JSONText.array([Self.fix($0, in: diagnostic.file)]))] } ?? []
        return .object(
            [
                ("ruleId", .string(diagnostic.code.rawValue)),
                ("ruleIndex", .int(indexes[diagnostic.code] ?? -1)),
                ("level", .string(diagnostic.severity.rawValue)),
                ("message", Self.message(diagnostic.message + help + remarks)),
                ("locations", .array([.object([("physicalLocation", Self.location(diagnostic.range, in: diagnostic.file))])])),
                (
                    "relatedLocations",
                    .array(
                        related.enumerated().map { index, related in
                            .object([
                                ("id", .int(index + 1)),
                                ("physicalLocation", Self.location(related.range, in: diagnostic.file)),
                                ("message", Self.message(related.message)),
                            ])
                        })
                ),
                ("partialFingerprints", .object([("primaryLocationLineHash", .string(fingerprint))])),
            ] + fixes)
    }

    private static func fix(_ fix: TextFix, in file: String) -> JSONText {
        let replacements = fix.replacements.map { replacement in
            JSONText.object([
                ("deletedRegion", region(replacement.range)), ("insertedContent", .object([("text", .string(replacement.text))])),
            ])
        }
        let change = JSONText.object([
            ("artifactLocation", .object([("uri", .string(FileURI.of(file)))])), ("replacements", .array(replacements)),
        ])
        return .object([("description", message(fix.summary)), ("artifactChanges", .array([change]))])
    }

    private static func region(_ range: TextRange) -> JSONText {
        .object([
            ("startLine", .int(range.start.line)), ("startColumn", .int(range.start.column)),
            ("endLine", .int(range.end.line)), ("endColumn", .int(range.end.column)),
        ])
    }

    private static func location(_ range: TextRange, in file: String) -> JSONText {
        .object([
            ("artifactLocation", .object([("uri", .string(FileURI.of(file)))])),
            ("region", region(range)),
        ])
    }

    private static func message(_ text: String) -> JSONText {
        .object([("text", .string(literal(text)))])
    }

    /// `text` so that no reader finds a placeholder or a link in it (SARIF 2.1.0, sections 3.11.5 and 3.11.6).
    private static func literal(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "{", "}": result += "\(scalar)\(scalar)"
            case "(" where last == "]": result += "\\("
            default: result.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return result
    }
}

/// The general description of a code in the formats.
struct RuleDescription {
    /// One line: `undefined source`.
    let title: String
    /// The meaning of the code.
    let meaning: String
    /// The advice for the code, as plain text and as Markdown.
    let help: (text: String, markdown: String)

    init(_ code: DiagnosticCode) {
        let page = code.page
        title = page.title
        meaning = page.meaning
        help = (
            "\(page.meaning)\n\nwrong:\n\n\(page.wrong.text)\n\nright:\n\n\(page.right.text)",
            page.text
        )
    }
}

/// The fingerprints that tell the results of one file apart, and stay when lines are put in above them.
package struct Fingerprints {
    private var counts: [UInt64: Int] = [:]
    /// The hash of what comes before the place: of many problems on one line it is the same.
    private var last: (code: DiagnosticCode, file: String, line: String, hash: UInt64)?

    /// A fingerprint of `diagnostic`, whose source line reads `line`: `8f2ac3e1d0b4a597:1`, where the last number counts the same
    /// problems on the same line, or on lines that read the same.
    mutating func next(_ diagnostic: Diagnostic, line: String) -> String {
        let (start, end) = (diagnostic.range.start, diagnostic.range.end)
        let length = start.line == end.line ? max(0, end.column - start.column) : 0
        let meant = line.unicodeScalars.dropFirst(start.column - 1).prefix(length)
        let hash = Self.hash([String(meant)], after: hash(of: line, for: diagnostic))
        counts[hash, default: 0] += 1
        return KeyHash.digits(of: hash) + ":\(counts[hash] ?? 1)"
    }

    private mutating func hash(of line: String, for diagnostic: Diagnostic) -> UInt64 {
        if let last, last.code == diagnostic.code, last.file == diagnostic.file, last.line.utf8.elementsEqual(line.utf8) {
            return last.hash
        }
        let whole = line.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        let hash = Self.hash([diagnostic.code.rawValue, FileURI.withoutDot(diagnostic.file), whole])
        last = (diagnostic.code, diagnostic.file, line, hash)
        return hash
    }

    /// FNV-1a, with a byte after each part that no text has.
    package static func hash(_ parts: [String]) -> UInt64 { hash(parts, after: 0xCBF2_9CE4_8422_2325) }

    private static func hash(_ parts: [String], after begun: UInt64) -> UInt64 {
        var hash = begun
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return hash
    }
}

/// A file as code scanning and pull requests name it.
package enum FileURI {
    /// A URI reference (RFC 3986) with forward slashes: relative as it was named, absolute with its scheme.
    static func of(_ path: String) -> String {
        (path.hasPrefix("/") ? "file://" : "") + PercentEncoding.path.encoded(withoutDot(path))
    }

    /// `conf/a.yaml` from `./conf/a.yaml`: viewers compare the texts.
    static func withoutDot(_ path: String) -> String {
        var rest = path[...]
        while rest.hasPrefix("./"), rest.utf8.count > 2 { rest = rest.dropFirst(2).drop { $0 == "/" } }
        return rest.isEmpty ? path : String(rest)
    }
}
