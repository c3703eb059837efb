internal import Pipeline

/// The secrets of one configuration, and where they stand in its text.
struct ConfigSecrets {
    /// In bytes; a shorter text would be found in words that have nothing to do with it.
    static let shortest = 4
    /// The longest credential that a URL or a key has in its encoded form, in bytes.
    private static let longestEncoded = 1 << 16

    private let places: ConfigPlaces
    /// Texts that must not show in any message.
    private(set) var texts: Set<String> = []
    /// Where they stand, each place once.
    private(set) var ranges: Set<TextRange> = []
    /// The scalars that have a secret in them.
    private var holders: Set<TextRange> = []
    /// Whether credentials stand beside names, as far as that was looked up.
    private var namesBeside: [String: Bool] = [:]

    init(places: ConfigPlaces) {
        self.places = places
    }

    /// Whether `text` is long enough for a secret; shorter ones are not masked.
    static func isLongEnough(_ text: String) -> Bool { text.utf8.count >= shortest }

    /// Whether the scalar at `range` is a secret or has one in it.
    func holds(_ range: TextRange) -> Bool { ranges.contains(range) || holders.contains(range) }

    /// Remembers a text that must not show in any message.
    mutating func keep(_ text: String) {
        // `Bearer` in front of a variable is no secret.
        if Self.isLongEnough(text), !WrittenCredential.isScheme(text) { texts.insert(text) }
    }

    /// Remembers a value whose name says that it is secret, wherever it stands; also as a URL, or a key, has it.
    mutating func keepCredential(_ value: String) {
        // A switch such as `USE_TOKEN=true` is no credential, and its word is in many messages.
        guard CoreSchema.bool(value) == nil, !CoreSchema.isNull(value) else { return }
        keep(value)
        guard value.utf8.count <= Self.longestEncoded else { return }
        for encoding in [PercentEncoding.url, .fileName] { keep(encoding.encoded(value)) }
    }

    /// Remembers user and password of a URL, which a colon separates.
    mutating func keep(credentials: String) {
        for part in credentials.split(separator: ":", maxSplits: 1) { keep(String(part)) }
    }

    /// Remembers that the value of `node` is secret.
    ///
    /// A reference `${NAME}` stays readable: its value is the secret, and what it names has to be seen.
    mutating func keepPlace(of node: ConfigNode) {
        let node = node.target
        switch node.content {
        case .scalar(let scalar) where scalar.text.hasByte(UInt8(ascii: "$")):
            keepPlaces(of: node, within: [0..<scalar.text.unicodeScalars.count])
        case .scalar, .alias: ranges.insert(node.range)
        // A list in place of a text: what stands in it is as secret as the text would be.
        case .sequence(let elements):
            ranges.insert(node.range)
            for element in elements { keepPlace(of: element) }
        case .mapping(let members):
            ranges.insert(node.range)
            for member in members { keepPlace(of: member.value) }
        }
    }

    /// Remembers that parts of the text of `node`, in Unicode scalars, are secret.
    mutating func keepPlaces(of node: ConfigNode, within parts: [Range<Int>]) {
        for part in VariableReference.rest(of: node.target.scalarText ?? "", within: parts) { keepPlace(of: part, in: node) }
    }

    private mutating func keepPlace(of part: Range<Int>, in node: ConfigNode) {
        keepPlace(at: places.range(of: part, in: node), in: node)
    }

    /// Remembers that the text of `node` has a secret at `range`.
    mutating func keepPlace(at range: TextRange, in node: ConfigNode) {
        ranges.insert(range)
        holders.insert(node.target.range)
    }

    /// Remembers the places of credentials in a URL, also in one that turns out to be none, and those among its parameters.
    mutating func keepCredentials(ofURL node: ConfigNode) {
        guard case .scalar(let scalar) = node.target.content else { return }
        let parameters = URLParameter.credentials(in: scalar.text)
        for parameter in parameters { keep(parameter.value) }
        keepPlaces(of: node, within: parameters.map(\.range) + [URLTemplate.credentials(in: scalar.text)].compactMap(\.self))
    }

    /// Remembers the defaults of variables that are credentials, whether they count or not: they are shown where the file is. Gives the names
    /// of the variables, and the places of the defaults in the text, in Unicode scalars.
    @discardableResult
    mutating func keepDefaults(of node: ConfigNode) -> [(name: String, range: Range<Int>)] {
        guard case .scalar(let scalar) = node.target.content, scalar.text.contains(":-") else { return [] }
        let scalars = Array(scalar.text.unicodeScalars)
        var kept: [(name: String, range: Range<Int>)] = []
        for reference in VariableReference.all(in: scalar.text) where Credential.isOrigin(reference.name) {
            guard let range = reference.defaultRange else { continue }
            let literal = String(String.UnicodeScalarView(scalars[range]))
            guard Self.isLongEnough(literal), !literal.contains("${"), CoreSchema.bool(literal) == nil else { continue }
            keepCredential(literal)
            keepPlace(of: range, in: node)
            kept.append((reference.name, range))
        }
        return kept
    }
}

/// What is written in a file, also where no field could be read.
extension ConfigSecrets {
    /// Remembers the credentials that are written in `document`: what stands beside the name of one, in `headers`, in a URL, or as the
    /// default of a variable that is one.
    ///
    /// - Parameter sections: the names of the members whose members have names that the user chose.
    mutating func keepWritten(in document: ConfigNode, sections: [String]) {
        for section in document.members where sections.contains(section.key) {
            // The names that the user chose say nothing of what stands beside them.
            for member in section.value.members { keepWritten(member.value, isCredential: false) }
            if case .sequence = section.value.target.content { keepWritten(section.value.target, isCredential: false) }
        }
        for member in document.members where !sections.contains(member.key) {
            keepWritten(member.value, isCredential: Credential.isBeside(member.key))
        }
        if case .sequence = document.content { keepWritten(document, isCredential: false) }
    }

    /// Remembers a credential that was found in the lines of the text.
    mutating func keepWritten(_ credential: WrittenCredential) {
        ranges.insert(credential.range)
        for secret in credential.secrets { keepCredential(secret) }
    }

    private mutating func keepWritten(_ node: ConfigNode, isCredential: Bool) {
        switch node.content {
        case .alias(let target): if isCredential { keepWritten(target, isCredential: true) }
        case .sequence(let elements):
            for element in elements {
                if let text = element.scalarText, let value = credential(in: text) {
                    keepCredential(value)
                    keepPlace(of: element)
                }
                keepWritten(element, isCredential: isCredential)
            }
        case .mapping(let members):
            for member in members {
                if member.value.isNull, let value = credential(in: member.key) {
                    keepCredential(value)
                    ranges.insert(member.keyRange)
                }
                keepWritten(member.value, isCredential: isCredential || member.key == "headers" || isBesideCredential(member.key))
            }
        case .scalar(let scalar): keepWritten(scalar.text, in: node, isCredential: isCredential)
        }
    }

    /// What stands beside the name of a credential in a text that has both, as `token:…`, `token = …` and `token …`; nil for any other.
    private mutating func credential(in text: String) -> String? {
        if let (name, value) = FieldDecoder.unspaced(text) { return isBesideCredential(name) ? value : nil }
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.count == 2 && isBesideCredential(String(words[0])) ? String(words[1]) : nil
    }

    /// Whether a credential stands beside `name`. A file has the same few names again and again.
    private mutating func isBesideCredential(_ name: String) -> Bool {
        if let known = namesBeside[name] { return known }
        let isBeside = Credential.isBeside(name)
        if namesBeside.count < 1_000 { namesBeside[name] = isBeside }
        return isBeside
    }

    private mutating func keepWritten(_ text: String, in node: ConfigNode, isCredential: Bool) {
        // Most texts have neither byte, and bytes are found much sooner than texts.
        if text.hasByte(UInt8(ascii: ":")), text.contains("://") {
            keepCredentials(ofURL: node)
            if let range = URLTemplate.credentials(in: text) {
                let literal = String(String.UnicodeScalarView(Array(text.unicodeScalars)[range]))
                for part in [literal[...]] + literal.split(separator: ":", maxSplits: 1) where !part.contains("${") { keep(String(part)) }
            }
        }
        if text.hasByte(UInt8(ascii: "$")), text.contains("${") {
            keepDefaults(of: node)
        } else if isCredential, !node.isNull, CoreSchema.bool(text) == nil {
            keepCredential(text)
            keepPlace(of: node)
        } else if let value = WrittenCredential.behindScheme(text) {
            keepCredential(value)
            keepPlace(of: node)
        }
    }
}
