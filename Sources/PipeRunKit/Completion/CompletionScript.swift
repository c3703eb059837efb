internal import ArgumentParser
internal import PipelineReports

/// The script for one shell.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish

    /// The script, with a newline at its end.
    var text: String {
        switch self {
        case .bash: RootCommand.completionScript(for: .bash) + "\n\n" + Self.bashHelp + "\n" + Self.bashEnding + "\n"
        case .zsh:
            RootCommand.completionScript(for: .zsh)
                .replacing(#""${command_line[@]}")"#, with: #""${command_line[@]}" 2>/dev/null)"#)
                .replacing("    _describe -V ''", with: Self.zshParameters + "    _describe -V ''")
                .replacing("'*:subcommands:'", with: "'*:subcommands:(\(Self.topics))'") + "\n"
        case .fish:
            RootCommand.completionScript(for: .fish)
                .replacing(
                    "command $tokens[1] $argv $tokens", with: "command -q $tokens[1]; and command $tokens[1] $argv $tokens 2>/dev/null"
                )
                // Outside of a prompt fish tells no place in a command line, only the text before it.
                .replacing("(__pipe-run_tokens -tC)", with: "(string length -- (commandline -ct))") + "\n" + Self.fishHelp + "\n"
        }
    }

    /// The topics of `help`: commands, and fields by the shortest path that names them. ArgumentParser offers none.
    private static var topics: String {
        let fields = FieldReference(Program.plugins).shortPaths.filter { path in
            let parts = path.split(separator: ".")
            return parts.count == 1 || parts.count == 2 && parts[0] == "tiers"
        }
        let commands = RootCommand.commandNames
        return (commands + fields.filter { !commands.contains($0) }).joined(separator: " ")
    }

    private static var bashHelp: String {
        """
        _pipe-run_help() {
            ((COMP_CWORD > 2)) || __pipe-run_add_completions -W '\(topics.replacing(" ", with: "'$'\\n''"))'
        }
        """
    }

    private static var fishHelp: String {
        "complete -c 'pipe-run' -n '__pipe-run_should_offer_completions_for_positional \"pipe-run help\" -ge 1' -fa '\(topics)'"
    }

    /// The value follows a parameter's `=` without a space.
    private static let zshParameters = #"""
            if [[ "${#}" -gt 0 && -z "${@:#*[=@]}" ]]; then
                compadd -S '' -- "${@}"
                return
            fi

        """#

    /// The end of the script for bash, to which `--option=value` is three words and to the script above two. And a parameter's `=` gets
    /// neither a space after it nor the quotes that names of files get.
    private static let bashEnding = #"""
        __pipe-run_complete() {
            local -a words=()
            local -i index
            for ((index = 0; index <= COMP_CWORD; index++)); do
                if [[ "${COMP_WORDS[index]}" != "=" || "${COMP_WORDS[index - 1]}" != --* ]]; then
                    words+=("${COMP_WORDS[index]}")
                elif ((index == COMP_CWORD)); then
                    words+=("")
                fi
            done
            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD=$((${#words[@]} - 1))
            local COMP_LINE="${words[*]}"
            local -i COMP_POINT=${#COMP_LINE}
            _pipe-run "${1}" "${2}" "${words[COMP_CWORD - 1]}" 2>/dev/null
            if [[ "${COMPREPLY[0]}" == *[=@] ]]; then
                compopt -o nospace +o filenames
            fi
        }
        complete -o filenames -F __pipe-run_complete pipe-run
        """#
}

struct CompletionsCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "completions",
        abstract: "Prints a shell completion script for commands, options and the names in the file.",
        discussion:
            "For bash: `source <(pipe-run completions bash)`. The others: `pipe-run completions fish | source`, or a file `_pipe-run` for zsh."
    )

    static let takesConfig = false

    @Argument(help: "The shell: bash, zsh, fish.") var shell: CompletionScript

    func perform() async throws {
        Console.output.write(shell.text)
    }
}
