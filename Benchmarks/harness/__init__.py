"""The parts of `run.py`.

    processes   starting, watching and ending servers; their CPU time and memory
    client      a pipelining HTTP client that fills and resets sessions
    load        wrk, and rounds that alternate between the subjects
    report      rows, ratios, aims; JSON and the tables of README.md
    requests    the workloads reads, durable, mixed
    capacity    the workloads growth, idle, depth, start
    slow        the workload slow: a disk that takes its time
    neighbours  the workload neighbours: others beside a hostile client; probe is that other
    streams     the workload streams: one writer, many subscribers
    listeners   the workload listeners: many writers beside streams of all sessions
    console     the workload console: when a browser has its list
    shared      the workload shared: several servers on three NATS servers
"""
