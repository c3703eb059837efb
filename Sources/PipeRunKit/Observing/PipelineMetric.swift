/// The metrics of pipelines, by the names under which a backend gets them.
enum PipelineMetric: String, CaseIterable {
    case hits = "pipe_run_hits_total"
    case misses = "pipe_run_misses_total"
    case stale = "pipe_run_stale_total"
    case errors = "pipe_run_errors_total"
    case writes = "pipe_run_writes_total"
    case evictions = "pipe_run_evictions_total"
    case load = "pipe_run_load_seconds"

    /// What it tells, for people.
    var help: String {
        switch self {
        case .hits: "Reads that a tier answered with a fresh value, or with its knowledge that there is none."
        case .misses: "Reads for which a tier had no copy, or one that is no longer fresh."
        case .stale: "Reads that a tier answered with an expired copy within a stale window."
        case .errors: "Reads that failed, ran out of time, or gave what cannot be used."
        case .writes: "Writes to a cache that ended, or were not made, by outcome."
        case .evictions: "Copies that a cache let go to keep within its bounds; the pipeline is empty where the cache does not know it."
        case .load: "How long a tier took, without answers from memory that nobody waited for."
        }
    }
}
