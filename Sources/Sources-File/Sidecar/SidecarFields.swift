internal import Pipeline

/// The lines of one record, by their names.
struct SidecarFields {
    static let payload = "payload"

    private var values: [String: String] = [:]

    /// Indicates whether no line was added yet.
    var isEmpty: Bool { values.isEmpty }

    /// The name and the value of a line; nil if it has no such form.
    static func field(of line: Substring) -> (name: String, value: String)? {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")),
            line.utf8[colon...].starts(with: ": ".utf8),
            let value = unescaped(Substring(line.utf8[colon...].dropFirst(2)))
        else { return nil }
        return (String(line[..<colon]), value)
    }

    /// Adds a line; false when there was one of that name.
    mutating func add(_ value: String, as name: String) -> Bool {
        values.updateValue(value, forKey: name) == nil
    }

    /// The record, or nil if a line is missing or makes no sense. Unknown names are of a later version and do no harm.
    var record: SidecarRecord? {
        guard let identity, let key = values["key"], let created = time("created"), let created,
            let stored = time("stored"), let freshUntil = time("fresh_until")
        else { return nil }
        let entry = Entry(
            [], created: created, stored: stored, freshUntil: freshUntil, etag: values["etag"],
            lastModified: values["last_modified"], contentType: values["content_type"], version: values["version"],
            source: values["source"], cacheControl: values["cache_control"].map(CacheControl.init(text:)), variant: values["variant"])
        return SidecarRecord(of: entry, key: key, identity: identity)
    }

    private var identity: PayloadIdentity? {
        let numbers = values[Self.payload]?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard numbers.count == 2, let size = Int(numbers[0]), size >= 0, let modified = Int64(numbers[1]) else { return nil }
        return PayloadIdentity(size: size, modified: modified)
    }

    /// The moment in the line `name`: none when there is no such line, nil if it is no number.
    private func time(_ name: String) -> Timestamp?? {
        guard let text = values[name] else { return .some(nil) }
        guard let nanoseconds = Int64(text) else { return nil }
        return .some(Timestamp(nanoseconds: nanoseconds))
    }
}

extension SidecarRecord {
    /// The record as lines of a sidecar.
    var lines: String {
        let fields: [(String, String?)] = [
            (SidecarFields.payload, "\(identity.size) \(identity.modified)"),
            ("key", key),
            ("created", "\(entry.created.nanoseconds)"),
            ("stored", entry.stored.map { "\($0.nanoseconds)" }),
            ("fresh_until", entry.freshUntil.map { "\($0.nanoseconds)" }),
            ("etag", entry.etag),
            ("last_modified", entry.lastModified),
            ("content_type", entry.contentType),
            ("version", entry.version),
            ("source", entry.source),
            ("cache_control", entry.cacheControl?.text),
            ("variant", entry.variant),
        ]
        return fields.reduce(into: "") { text, field in
            if let value = field.1 { text += "\(field.0): \(SidecarFields.escaped(value))\n" }
        }
    }
}

extension SidecarFields {
    /// The value on one line: control characters and `%` as `%` and two digits.
    static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            if scalar.value >= 0x20, scalar.value != 0x7F, scalar != "%" {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result += digits.count < 2 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }

    private static func unescaped(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return PercentEncoding.decoded(text.utf8)
    }
}
