internal import ArgumentParser

/// The script for one shell.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish

    /// The script, with a newline at its end.
    var text: String {
        switch self {
        case .bash: RootCommand.completionScript(for: .bash) + "\n\n" + Self.bashEnding + "\n"
        case .zsh: RootCommand.completionScript(for: .zsh) + "\n"
        case .fish: RootCommand.completionScript(for: .fish) + "\n"
        }
    }

    /// The value follows a parameter's `=` without a space, and names are not quoted as those of files are.
    private static let bashEnding = """
        __pipe-run_complete() {
            _pipe-run "${@}" 2>/dev/null
            case "${COMPREPLY[0]}" in
            *=) compopt -o nospace +o filenames ;;
            esac
        }
        complete -o filenames -F __pipe-run_complete pipe-run
        """
}
