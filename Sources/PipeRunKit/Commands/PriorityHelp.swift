internal import ArgumentParser

/// What `--priority` means, in the help of each command that takes it.
enum PriorityHelp {
    static let text = ArgumentHelp(
        "The priority of the fetch when requests must wait for an origin. Default: the pipeline's own priority.",
        valueName: "priority")
}
