import Foundation

/// A header field of a case: its value is a text, or for dates the seconds from now.
struct SuiteField: Decodable, Sendable {
    enum Value: Sendable, Equatable {
        case text(String)
        case secondsFromNow(Int)
    }

    let name: String
    let value: Value

    init(from decoder: any Decoder) throws {
        var parts = try decoder.unkeyedContainer()
        name = try parts.decode(String.self)
        value = try Value(from: &parts)
    }

    /// The text of the field where `moment`, in seconds since 1970, is now.
    func written(at moment: Double, inOldForm: Bool = false) -> String {
        value.written(at: moment, inOldForm: inOldForm)
    }
}

extension SuiteField.Value {
    init(from parts: inout any UnkeyedDecodingContainer) throws {
        if let seconds = try? parts.decode(Int.self) {
            self = .secondsFromNow(seconds)
        } else {
            self = .text(try parts.decode(String.self))
        }
    }

    func written(at moment: Double, inOldForm: Bool = false) -> String {
        switch self {
        case .text(let text): return text
        case .secondsFromNow(let seconds):
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = .gmt
            format.dateFormat = inOldForm ? "EEEE, dd-MMM-yy HH:mm:ss 'GMT'" : "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return format.string(from: Date(timeIntervalSince1970: moment.rounded(.down) + Double(seconds)))
        }
    }
}

/// What a case expects of a header field.
enum SuiteExpectation: Decodable, Sendable {
    case present(String)
    case value(String, SuiteField.Value)
    case same(String, as: String)
    case over(String, Int)

    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self = .present(name)
            return
        }
        var parts = try decoder.unkeyedContainer()
        let name = try parts.decode(String.self)
        let value = try SuiteField.Value(from: &parts)
        switch value {
        case .text("=") where !parts.isAtEnd: self = .same(name, as: try parts.decode(String.self))
        case .text(">") where !parts.isAtEnd: self = .over(name, try parts.decode(Int.self))
        default: self = .value(name, value)
        }
    }
}

/// The status of an answer with its phrase.
struct SuiteStatus: Decodable, Sendable {
    let code: Int
    let phrase: String

    init(_ code: Int, _ phrase: String) {
        (self.code, self.phrase) = (code, phrase)
    }

    init(from decoder: any Decoder) throws {
        var parts = try decoder.unkeyedContainer()
        code = try parts.decode(Int.self)
        phrase = try parts.decode(String.self)
    }
}
