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
