internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

/// A pipeline and its arguments: `friends user=42`.
struct PipelineArguments: ParsableArguments {
    @Argument(help: "The name of the pipeline.", completion: Suggestions.pipelines)
    var name: String

    @Argument(help: ArgumentHelp("The pipeline's arguments.", valueName: "parameter=value"), completion: Suggestions.parameters)
    var assignments: [String] = []

    /// The call of `command` as it was typed, as far as it concerns the file and the pipeline.
    func call(_ command: String, _ options: ConfigOptions) -> [String] { Assignments.call(command, options, name, assignments) }

    /// The arguments by name. Exits with 64 for one that is no assignment, or given twice.
    func arguments() throws -> [String: String] { try Assignments.read(assignments) }

    /// The arguments by name, some of the parameters of `plan`. Throws ``UsageError`` for one that it does not declare.
    func arguments(of plan: PipelinePlan) throws -> [String: String] {
        let arguments = try arguments()
        let known = plan.parameters.map(\.name)
        if let other = arguments.keys.sorted().first(where: { !known.contains($0) }) {
            throw UsageError.undeclaredParameter(other, pipeline: plan.name, known: known)
        }
        return arguments
    }
}

/// Arguments as they are typed: `user=42`.
enum Assignments {
    /// The call of `command` for what is called `name`, as it was typed.
    static func call(_ command: String, _ options: ConfigOptions, _ name: String, _ assignments: [String]) -> [String] {
        let file = options.given == nil ? [] : ["-c", options.config]
        return [command] + file + [name] + assignments
    }

    /// The arguments by name. Exits with 64 for one that is no assignment, or given twice.
    static func read(_ assignments: [String]) throws -> [String: String] {
        var arguments: [String: String] = [:]
        for assignment in assignments {
            guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else {
                throw Usage.failure("`\(assignment)` is not of the form `parameter=value`", help: "as in `user=42`")
            }
            let name = String(assignment[..<equals])
            guard arguments[name] == nil else { throw Usage.failure("the parameter `\(name)` is given twice", help: nil) }
            arguments[name] = String(assignment[assignment.index(after: equals)...])
        }
        return arguments
    }
}

/// The pipelines that a command shows: all, one, or one in another order.
struct SelectedPipelines {
    let name: String?
    let order: String?

    /// The plans of these pipelines. A pipeline that `plan` does not have ends `command` with 64.
    func plans(in plan: Plan, command: String) throws -> [PipelinePlan] {
        try Usage.checking([command]) {
            guard let name else { return plan.pipelines }
            let pipeline = try plan.pipeline(name)
            guard let order else { return [pipeline] }
            return [try pipeline.asking(try SourceOrder.names(in: order), from: plan.sources)]
        }
    }
}

/// The sources that `--order a,b,c` names.
enum SourceOrder {
    /// The names, without the spaces around them. Exits with 64 where one is empty.
    static func names(in order: String) throws -> [String] {
        let names = order.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " }.trimmingSpacesAtEnd }
        guard names.contains(where: { !$0.isEmpty }) else {
            throw Usage.failure("the order names no source", help: "`--order a,b` asks `a` and then `b`")
        }
        guard !names.contains("") else {
            throw Usage.failure("the order `\(order)` has an empty name", help: "put one comma between two names: `--order a,b`")
        }
        return names
    }
}

extension Substring {
    fileprivate var trimmingSpacesAtEnd: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
