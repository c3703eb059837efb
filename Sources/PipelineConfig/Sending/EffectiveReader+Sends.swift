internal import Pipeline
import PipelineSending

extension EffectiveReader {
    /// A send is written out with what holds where its target or its outbox decide.
    func send(_ member: ConfigNode.Member, sources: SourceTable) -> EffectiveValue {
        func text(_ field: SendField) -> String? { member.value.member(field.rawValue).flatMap { interpolated($0)?.text } }
        let target = text(.to).flatMap { sources[$0] }
        let outboxes = sources.all.filter(\.keepsSends)
        let maxDelay = text(.debounce).flatMap { try? Quantity.duration($0) }.flatMap { $0 > .zero ? $0 * 10 : nil }
        let declarations = SendConfig.group.declarations.map { field in
            let standIn: String? =
                switch SendField(rawValue: field.name) {
                case .to: nil
                case .outbox: outboxes.count == 1 ? outboxes[0].name : nil
                case .idHeader: target?.sending.map { IDHeaderChoice(header: $0.idHeader).written ?? "" }
                case .maxDelay: maxDelay?.written
                default: field.defaultText
                }
            // The names of sources are no secrets, also where a secret is the same word.
            let isName = [SendField.to, .outbox].contains { $0.rawValue == field.name }
            return isName ? Self.nameField(field.name, default: standIn) : field.defaulting(to: standIn)
        }
        return object(member.value, of: declarations, uses: member.merges) { name, node, uses in
            guard SendField(rawValue: name) == .changes else { return nil }
            return list(node, uses: uses) { elements, uses in elements.map { change($0, uses: uses) } }
        }
    }

    /// What means nothing for the operation has no default.
    private func change(_ node: ConfigNode, uses: [TextRange]) -> EffectiveValue {
        followed(node, uses: uses) { node, uses in
            let word = node.member("op").flatMap { interpolated($0)?.text }
            let operation = word.flatMap { SendChange.Operation(rawValue: $0) } ?? .refresh
            let declarations = ChangeConfig.declarations.map { field in
                if field.name == "pipeline" { return Self.nameField(field.name) }
                return operation.takes(field.name) ? field : field.defaulting(to: nil)
            }
            return object(node, of: declarations, uses: uses)
        }
    }
}

extension FieldDeclaration {
    /// This field with another default.
    fileprivate func defaulting(to text: String?) -> FieldDeclaration {
        FieldDeclaration(name: name, type: type, documentation: "", defaultText: text, bounds: bounds)
    }
}
