/// The arguments of this process, without its name.
enum ProcessArguments {
    /// Exits with 64 when one is not UTF-8: repaired, as `CommandLine.arguments` would be, two values would be one.
    @MainActor
    static func read() throws -> [String] {
        let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).compactMap(\.self)
        return try words.dropFirst().map { word in
            guard let text = String(validatingCString: word) else {
                throw Usage.failure("the argument `\(String(cString: word))` is not UTF-8", help: "write the text at � in UTF-8")
            }
            return text
        }
    }
}
