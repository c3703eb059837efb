import Pipeline
import Testing

@testable import PipelineSending

@Suite struct UniqueIDTests {
}
