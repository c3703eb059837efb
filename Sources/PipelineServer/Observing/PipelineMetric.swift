/// The metrics of pipelines, by the names under which a backend gets them.
enum PipelineMetric: String, CaseIterable {
    case hits = "pipe_run_hits_total"
    case misses = "pipe_run_misses_total"
    case stale = "pipe_run_stale_total"
    case errors = "pipe_run_errors_total"
    case writes = "pipe_run_writes_total"
    case evictions = "pipe_run_evictions_total"
    case load = "pipe_run_load_seconds"
    case retries = "pipe_run_retries_total"
    case refreshes = "pipe_run_refreshes_total"
    case requests = "pipe_run_requests_total"
    case requestTime = "pipe_run_request_seconds"
    case loadsUnderWay = "pipe_run_loads_under_way"
    case circuitState = "pipe_run_circuit_state"
    case build = "pipe_run_build_info"

    /// What it tells, for people.
    var help: String {
        switch self {
        case .hits: "Reads that a tier answered with a fresh value, or with its knowledge that there is none."
        case .misses: "Reads for which a tier had no copy, or one that is no longer fresh."
        case .stale: "Reads that a tier answered with an expired copy within a stale window."
        case .errors: "Reads that failed, ran out of time, or gave what cannot be used."
        case .writes: "Writes to a cache that ended, or were not made, by outcome."
        case .evictions: "Copies that a cache let go to keep within its bounds; the pipeline is empty where the cache does not know it."
        case .load: "How long a tier took to answer; an answer from memory that nothing waited for counts as no time."
        case .retries: "How often a tier was tried again within a load."
        case .refreshes: "Refreshes in the background that ended, by outcome."
        case .requests:
            "Requests of clients that were answered, by status; 499 for a client that left first. The pipeline is empty for unknown ones."
        case .requestTime: "How long it took until the answer to a client was made."
        case .loadsUnderWay: "Loads that run at this moment."
        case .circuitState: "The circuit of a tier: 0 closed, 1 half open, 2 open."
        case .build: "Always 1, with the version of the program."
        }
    }
}
