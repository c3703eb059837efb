internal import Pipeline

/// Copies that outlive the process under one credential, and are read under another.
struct CredentialRules {
    let decoder: FieldDecoder
    /// The caches that were reported: one of very many pipelines is one problem.
    private var reported: Set<ExactName> = []

    init(decoder: FieldDecoder) {
        self.decoder = decoder
    }

    mutating func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        guard pipeline.isSound, tiers.isWhole else { return }
        for origin in tiers.elements where origin.isCache == false && origin.policy.reads {
            guard let credential = origin.source.sentCredential else { continue }
            for cache in tiers.elements where cache.isWrittenCache && cache.source.mixesCredentials && pipeline.fills(cache.tier) {
                report(cache.source, origin.source, credential)
            }
        }
    }

    private mutating func report(_ cache: SourceConfig, _ origin: SourceConfig, _ credential: SentCredential) {
        guard let note = cache.notes.last(where: { $0.role.isPlace && $0.role != .place }) ?? cache.notes.first(where: \.role.isPlace),
            reported.insert(ExactName(cache.name)).inserted
        else { return }
        let user = "${\(credential.user)}"
        let example =
            switch note.role {
            case .placeOfEachKey: "\".cache/\(user)/{key}.json\""
            case .keyPrefix: "\"\(user):\""
            default: "\".cache/\(user).db\""
            }
        decoder.report(
            .copyOfAnotherCredential,
            "`\(cache.name.shortened)` keeps what `\(origin.name.shortened)` answers, but not for which `\(credential.variable.shortened)`: with another one, the same copy is read",
            at: note.place ?? cache.place,
            help: "where users have tokens of their own, name the user in it, as in `\(note.name): \(example)`",
            related: [Diagnostic.Related("`\(credential.variable.shortened)` is sent here", at: credential.range)])
    }
}

extension SourceConfig {
    /// Indicates whether its copies outlive the process, and stand at one place whatever the environment is.
    package var mixesCredentials: Bool { isDurable && !namesUser }

    /// Whether a variable says where its copies are; which server or database it is says nothing of a user.
    static func namesUser(_ notes: [FieldNote], _ declarations: [FieldDeclaration], with decoder: FieldDecoder) -> Bool {
        notes.contains { note in
            guard note.role.isPlace, let place = note.place, declarations.first(where: { $0.name == note.name })?.type != .url else {
                return false
            }
            return note.text == nil || decoder.interpolation.isFromOutside(place.range)
        }
    }
}
