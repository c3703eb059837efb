import Pipeline

extension Pipelines {
    /// The pipeline called `name`.
    func pipeline(named name: String) throws -> DataPipeline { try self[name] }
}
