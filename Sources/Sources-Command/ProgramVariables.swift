internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The variables that every program gets.
enum ProgramVariables {
    /// The variables that programs need to find others, their settings, their language and a place for temporary files. Nothing else is
    /// passed on: tokens of this process are none of their business.
    static var inherited: [(name: String, value: String)] {
        ["PATH", "HOME", "LANG", "TMPDIR"].compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    }

    /// The pattern of the name of a declared variable.
    static let namePattern = "^[A-Za-z_][A-Za-z0-9_]*$"

    /// Indicates whether `name` is such a name.
    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

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
