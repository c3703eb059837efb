internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: command`.
    public static let command = SourcePlugin(
        origin: "command", summary: "Runs a program and takes its standard output as the value.", capabilities: [.neverMisses],
        fields: Field<CommandTemplate>(
            "command",
            "The program and its arguments, without a shell. A parameter's value is always one argument or a part of one. Exit code 3 means `not_found`.",
            example: "[python3, fetch.py, \"{user}\"]"
        ).role(.program),
        Field(
            "environment", default: FieldMap<VariableTemplate>(),
            "Environment variables for the program, in addition to PATH, HOME, LANG and TMPDIR. A value is masked in messages when its name, or that of the variable or file it comes from, is that of a credential, such as `API_TOKEN`.",
            example: "{ TOKEN: \"${TOKEN}\" }"
        ).checked(stating: .keys(matching: ProgramVariables.namePattern)) { variables in
            guard variables.allSatisfy({ ProgramVariables.isName($0.name) }) else { return "names of letters, digits and `_`" }
            let isFixed = variables.allSatisfy { $0.name != "PATH" || $0.value.template.isConstant }
            return isFixed ? nil : "a `PATH` without parameters, which would choose the program"
        },
        Field(
            "timeout", default: Duration.seconds(30), range: Duration.milliseconds(1)...,
            "The longest time for one read, including the wait for other programs. Then the program is ended with its process group."
        ).role(.timeLimit),
        Field("max_size", default: Size.mebibytes(64), range: Size(bytes: 1)..., "The largest output to read."),
        Field(
            "leading_dash", default: false,
            "Whether a parameter's value at the start of an argument may begin with `-`, like an option. After an argument `--` it always may."
        ),
        Field(
            "concurrency", default: 16, range: 1...,
            "How many programs of this source run at the same time. Further reads wait, within their time limits.")
    ) { context, command, environment, timeout, maxSize, allowsLeadingDash, concurrency in
        CommandSource(
            command, environment: FieldMap(environment.map { ($0.name, $0.value.template) }), timeout: timeout, maxSize: maxSize,
            allowsLeadingDash: allowsLeadingDash, concurrency: concurrency, clock: context.clock)
    }
}
