internal import Pipeline
import PipelineSending

/// A kind of write as the file declares it. An object, since each rule looks at it and it is large.
package final class SendConfig: Sendable {
    /// The name of the send.
    package let name: String
    /// The place where it is named, with the merges on the way.
    let place: ConfigPlace
    /// What its fields set.
    let fields: Draft
    /// Where its fields stand.
    let fieldPlaces: FieldPlaces
    /// Whether all its parameters could be read.
    let hasAllParameters: Bool
    /// Whether all of it could be read; else there are defaults where something else is written.
    let isSound: Bool

    private init(_ member: ConfigNode.Member, at place: ConfigPlace, _ fields: Draft, fieldPlaces: FieldPlaces, isSound: Bool) {
        name = member.key
        (self.place, self.fields, self.fieldPlaces, self.isSound) = (place, fields, fieldPlaces, isSound)
        hasAllParameters = fields.parameters.isComplete && !fieldPlaces.hasMistyped(.parameters, besides: Self.fieldNames)
    }

    /// What the fields set.
    struct Draft {
        var description: String?
        var parameters = ParameterList.none
        var format = PayloadFormat.json
        var to = ""
        var outbox: String?
        var changes = ChangeList.none
        var answer: AnswerPlaces?
        var isOrdered = true
        var scope: SendTemplate?
        var priority = Priority.high
        var debounce = Duration.zero
        var maxDelay: Duration?
        var replacesUntried = false
        var retry = SendRetry()
        var expires: Duration?
        /// Nil for what the target says.
        var idHeader: IDHeaderChoice?
        var idLifetime = Duration.zero
        var condition = SendCondition.none
        var onConflict = ConflictRule.fail
    }

    static let group = FieldGroup(SendField.allCases.map(\.setting), from: Draft())

    static let fieldNames = Set(SendField.allCases.map(\.rawValue))

    /// A mapping with these fields.
    package static var fieldType: FieldType { .object(group.declarations) }

    /// The send with the source that takes it, which a single name in place of a mapping most likely is.
    private static func meant(by node: ConfigNode, _ name: String) -> String {
        let source = node.scalarText.flatMap { Identifier.isValid($0) ? $0 : nil }
        return "write `\(name.inFlow.shortened): { to: \(source ?? "SOURCE") }`"
    }

    static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> SendConfig? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let place = decoder.places.place(ofKeyOf: member)
        return decoder.places.withValue(of: member) { node in
            guard case .mapping(let members) = node.content else {
                decoder.reportNoMapping(node, of: member, declaring: "send", fields: fieldNames, help: meant(by: node, member.key))
                return nil
            }
            let mark = decoder.problems.mark
            let owner = FieldOwner("send", named: member.key, range: member.keyRange, place: FieldAdvice.Place.send)
            guard let fields = group.decode(members, of: owner, with: decoder) else { return nil }
            return SendConfig(
                member, at: place, fields, fieldPlaces: FieldPlaces(members, with: decoder),
                isSound: decoder.problems.errors(since: mark) == 0)
        }
    }
}

/// The places by the fields of sends.
extension FieldPlaces {
    func value(ofSend field: SendField) -> ConfigPlace? { value(field.rawValue) }
}
