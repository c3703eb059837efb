internal import PipelineConfig

/// The value of a variable of a program. It is a secret where its name says so, or the name of a variable or file that it comes from.
struct VariableTemplate: FieldValue {
    /// The template, which prints as `***` all the same.
    let template: SecretTemplate

    static var fieldType: FieldType { .template }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> VariableTemplate? {
        SecretTemplate.decodeByName(node, with: decoder).map(VariableTemplate.init)
    }

    var written: String? { nil }
}
