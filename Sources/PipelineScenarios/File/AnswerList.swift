package import PipelineConfig

/// The answers of an origin: one for all calls, or a list that is the most there are.
package struct AnswerList: Sendable {
    package let answers: [OriginAnswer]
    /// The answer to every call after those; nil where a further call fails the test.
    package let always: OriginAnswer?
    package let range: TextRange

    /// The answer to the call of this number, from 0.
    func answer(to call: Int) -> OriginAnswer? { call < answers.count ? answers[call] : always }
}

extension AnswerList: FieldValue {
    package static var fieldType: FieldType {
        .either([OriginAnswer.fieldType, .list(.either([OriginAnswer.fieldType, AlwaysFields.fieldType]), atLeast: 1)])
    }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> AnswerList? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                return OriginAnswer.decode(node, with: decoder).map { AnswerList(answers: [], always: $0, range: node.range) }
            }
            var (answers, always): ([OriginAnswer], OriginAnswer?) = ([], nil)
            for (index, element) in elements.enumerated() {
                if element.target.members.contains(where: { $0.key == "always" }) {
                    guard let last = AlwaysFields.decode(element, with: decoder) else { return nil }
                    always = last.always
                    if index < elements.count - 1 {
                        decoder.report(
                            .notAllowed, "answers after `always` are never given", at: elements[index + 1], help: "put `always` last")
                        return nil
                    }
                } else if let answer = OriginAnswer.decode(element, with: decoder) {
                    answers.append(answer)
                }
            }
            return AnswerList(answers: answers, always: always, range: node.range)
        }
    }

    package var written: String? { nil }
}

/// `always: ANSWER`, the last element of a list of answers.
private struct AlwaysFields: FieldObject {
    let always: OriginAnswer

    static let noun = "an answer"

    static let fields = FieldGroup(Field<OriginAnswer>("always", "The answer to every further call.")) { AlwaysFields(always: $0) }
}
