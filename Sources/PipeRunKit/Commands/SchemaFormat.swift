internal import ArgumentParser

/// How `schema` prints.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
    case json
    case markdown
}
