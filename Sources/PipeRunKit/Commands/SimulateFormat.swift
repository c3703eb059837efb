internal import ArgumentParser

/// How `simulate` prints.
enum SimulateFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, csv, svg
}
