internal import NIOHTTP1
package import Pipeline
package import PipelineConfig
internal import PipelineSending

/// The sends of one configuration that clients may ask for, each with the method of its source.
package struct ServedSends: Sendable {
    /// The names, in the order of the file.
    private(set) var names: [String] = []
    private var methods: [ExactName: HTTPMethod] = [:]
    private let token: String?

    /// No sends.
    package static let none = ServedSends(token: nil)

    fileprivate init(token: String?) { self.token = token }

    fileprivate mutating func add(_ name: String, _ method: HTTPMethod) {
        names.append(name)
        methods[ExactName(name)] = method
    }

    /// Indicates whether there is none.
    var isEmpty: Bool { methods.isEmpty }

    /// The method of the send called `name`; nil if clients may not ask for it, or there is none.
    func method(of name: String) -> HTTPMethod? { methods[ExactName(name)] }

    /// The texts that must not show anywhere.
    package var secrets: Set<String> { token.map { [$0] } ?? [] }

    /// Masks them.
    package var redactor: Redactor { token.map { Redactor([$0]) } ?? Redactor() }

    /// Indicates whether a client with these headers knows the token (RFC 6750, section 2.1), if it needs one.
    func admits(_ headers: HTTPHeaders) -> Bool {
        guard let token else { return true }
        let fields = headers["authorization"]
        guard fields.count == 1, let space = fields[0].firstIndex(of: " "), fields[0][..<space].lowercased() == "bearer" else {
            return false
        }
        return Self.isSame(fields[0][space...].drop { $0 == " " }, as: token)
    }

    /// Compares the bytes of both in a time that does not tell where they differ.
    private static func isSame(_ given: Substring, as token: String) -> Bool {
        let (given, token) = (Array(given.utf8), Array(token.utf8))
        var difference = given.count ^ token.count
        for index in token.indices { difference |= Int(token[index] ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }
}

/// Which sends clients may ask for, whatever the configuration is: the options of `serve`.
package struct SendAllowance: Sendable {
    /// The reason why no client is answered.
    package struct Problem: Error, CustomStringConvertible {
        /// The problem in words: lower case, no full stop.
        package let message: String
        /// The advice; nil if there is nothing to add.
        package let help: String?

        package var description: String { message }
    }

    /// The word for every send.
    package static let all = "all"

    private let names: [String]
    private let tokenFile: String?

    /// - Parameters:
    ///   - names: of sends; ``all`` for every one, none for none.
    ///   - tokenFile: the path of a file with the token that clients must know; nil for none.
    package init(_ names: [String] = [], tokenFile: String? = nil) { (self.names, self.tokenFile) = (names, tokenFile) }

    /// Throws for a name that is none of a send of `plan`.
    package func check(_ plan: Plan) throws(Problem) {
        let known = plan.sends.map(\.name)
        guard let name = names.first(where: { name in name != Self.all && !known.contains { $0.hasSameBytes(as: name) } }) else { return }
        let error = SendError.unknownSend(name, known: known)
        throw Problem(message: "\(error.message) in `--allow-sends`", help: error.help)
    }

    /// The sends of `plan`, with the token as it is now. Names of sends that it does not have are left aside.
    package func sends(of plan: Plan, reading environment: ConfigEnvironment) throws(Problem) -> ServedSends {
        var sends = ServedSends(token: try token(environment))
        let allowed = Set(names.map(ExactName.init))
        for send in plan.sends where names.contains(Self.all) || allowed.contains(ExactName(send.name)) {
            if let method = send.target.sending?.method { sends.add(send.name, HTTPMethod(rawValue: method)) }
        }
        return sends
    }

    private func token(_ environment: ConfigEnvironment) throws(Problem) -> String? {
        guard let tokenFile else { return nil }
        let file = "the file in `--send-token`"
        let text: String
        switch environment.file(tokenFile) {
        case .success(let content): text = content
        // Its name is not shown: it may be the token itself.
        case .failure(let problem):
            throw Problem(message: "\(file) cannot be read: \(problem.reason)", help: "it takes the path of a file that has the token")
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let token = words.first else { throw Problem(message: "\(file) is empty", help: Self.help) }
        guard words.count == 1, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                message: "\(file) holds more than one word, or other than visible ASCII characters", help: "a token is one word of them")
        }
        guard token.utf8.count >= Self.fewestBytes else {
            throw Problem(message: "the token in `--send-token` has fewer than \(Self.fewestBytes) characters", help: Self.help)
        }
        return String(token)
    }

    /// A shorter one could be guessed, and would hide half of what is logged.
    private static let fewestBytes = 16
    private static let help = "write a token into it, as `openssl rand -hex 32` prints one"
}
