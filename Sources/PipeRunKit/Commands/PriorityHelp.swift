internal import ArgumentParser

/// What `--priority` means, in the help of each command that takes it.
enum PriorityHelp {
    static let text = ArgumentHelp(
        "How important the fetch is where an origin answers only so many requests at once. Default: the pipeline's own priority.",
        valueName: "priority")
}
