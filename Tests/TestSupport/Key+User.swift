package import Pipeline

extension Key {
    /// A key of `friends` with the parameter `user`.
    package static func user(_ value: String) -> Key { Key(pipeline: "friends", parameters: ["user": value]) }
}
