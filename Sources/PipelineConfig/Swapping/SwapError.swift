/// A swap that does not fit the configuration: wrong usage.
package struct SwapError: Error, CustomStringConvertible {
    /// What is wrong: lower case, no full stop.
    package let message: String
    /// What to write instead; nil where nothing can be said.
    package let help: String?

    package init(message: String, help: String?) {
        self.message = message
        self.help = help
    }

    /// The message, and the help below it.
    package var description: String { message + (help.map { "\nhelp: \($0)" } ?? "") }
}
