public import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: command`.
    public static let command = SourcePlugin(
        "command", summary: "Runs a program, whose standard output is the value.", capabilities: [.neverMisses],
        fields: Field<CommandTemplate>(
            "command",
            "The program and its arguments, without a shell; exit code 3 is not_found. A value is one argument, or a part of one.",
            example: "[python3, fetch.py, \"{user}\"]"),
        Field(
            "environment", default: FieldMap<VariableTemplate>(),
            "Variables for the program, which otherwise gets PATH, HOME, LANG and TMPDIR alone. A value is masked in messages where its name, or that of the variable or file it comes from, is a credential's, as `API_TOKEN`.",
            example: "{ TOKEN: \"${TOKEN}\" }"
        ).checked(stating: .keys(matching: ProgramVariables.namePattern)) { variables in
            guard variables.allSatisfy({ ProgramVariables.isName($0.name) }) else { return "names of letters, digits and `_`" }
            let isFixed = variables.allSatisfy { $0.name != "PATH" || $0.value.template.isConstant }
            return isFixed ? nil : "a `PATH` without parameters, which would choose the program"
        },
        Field(
            "timeout", default: Duration.seconds(30), range: Duration.milliseconds(1)...,
            "The longest time for one read, the wait for others included; then the program is ended with its process group."
        ).role(.timeLimit),
        Field("max_size", default: Size.mebibytes(64), range: Size(bytes: 1)..., "The most that it may write."),
        Field(
            "leading_dash", default: false,
            "Whether an argument may begin with a value that begins with `-`, as options do; after an argument `--` it always may."),
        Field(
            "concurrency", default: 16, range: 1...,
            "How many programs of this source run at a time; further reads wait, within their time limits.")
    ) { context, command, environment, timeout, maxSize, allowsLeadingDash, concurrency in
        CommandSource(
            command, environment: FieldMap(environment.map { ($0.name, $0.value.template) }), timeout: timeout, maxSize: maxSize,
            allowsLeadingDash: allowsLeadingDash, concurrency: concurrency, clock: context.clock)
    }
}
