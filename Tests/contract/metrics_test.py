"""The metrics, read by Prometheus' own parser, before and after known requests."""

import sys
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

url = sys.argv[1].rstrip("/")
metrics_url = (sys.argv[2] if len(sys.argv) > 2 else url).rstrip("/") + "/metrics"


def get(target):
    try:
        with urllib.request.urlopen(target, timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def scrape():
    status, headers, text = get(metrics_url)
    assert status == 200, status
    assert headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers
    return {family.name: family for family in text_string_to_metric_families(text)}


def count(families, **labels):
    samples = families["http_server_request_duration_seconds"].samples
    return sum(
        sample.value
        for sample in samples
        if sample.name.endswith("_count")
        and all(sample.labels.get(name) == value for name, value in labels.items())
    )


def check_histograms(families):
    for family in families.values():
        if family.type != "histogram":
            continue
        series = {}
        for sample in family.samples:
            labels = {k: v for k, v in sample.labels.items() if k != "le"}
            entry = series.setdefault(tuple(sorted(labels.items())), {"buckets": []})
            if sample.name.endswith("_bucket"):
                entry["buckets"].append((float(sample.labels["le"]), sample.value))
            else:
                entry[sample.name.rsplit("_", 1)[1]] = sample.value
        for labels, entry in series.items():
            bounds = [bound for bound, _ in entry["buckets"]]
            values = [value for _, value in entry["buckets"]]
            assert bounds == sorted(bounds) and bounds[-1] == float("inf"), (family.name, labels)
            assert values == sorted(values), (family.name, labels, values)
            assert values[-1] == entry["count"], (family.name, labels)
            assert entry["sum"] >= 0, (family.name, labels)


before = scrape()
expected = {
    "http_server_request_duration_seconds": "histogram",
    "navstate_problems": "counter",
    "navstate": None,
    "navstate_sessions": "gauge",
    "navstate_apps": "gauge",
    "navstate_subscribers": "gauge",
    "navstate_connections": "gauge",
    "navstate_connections_accepted": "counter",
    "navstate_store_ready": "gauge",
    "navstate_store_damaged_files": "gauge",
    "navstate_store_errors": "counter",
    "navstate_journal_batches": "counter",
    "navstate_journal_bytes": "counter",
    "navstate_journal_sync_duration_seconds": "histogram",
    "navstate_durable_lag_records": "gauge",
    "navstate_pending_bytes": "gauge",
    "navstate_log_bytes": "gauge",
    "navstate_compactions": "counter",
    "process_cpu_seconds": "counter",
    "process_resident_memory_bytes": "gauge",
    "process_open_fds": "gauge",
    "process_max_fds": "gauge",
    "process_start_time_seconds": "gauge",
}
for name, kind in expected.items():
    if kind is not None:
        assert name in before, f"{name} is missing"
        assert before[name].type == kind, (name, before[name].type)

for _ in range(5):
    assert get(url + "/v1/sessions/none-such")[0] == 404
assert get(url + "/nowhere/at/all")[0] == 404
after = scrape()
check_histograms(after)

route = {"http_route": "/v1/sessions/{id}", "http_request_method": "GET"}
grown = count(after, **route, http_response_status_code="404") - count(
    before, **route, http_response_status_code="404"
)
assert grown == 5, grown


def problem(families, kind):
    return sum(
        sample.value
        for sample in families["navstate_problems"].samples
        if sample.labels.get("problem") == kind
    )


assert problem(after, "session-not-found") - problem(before, "session-not-found") == 5
assert problem(after, "not-found") - problem(before, "not-found") == 1
text = get(metrics_url)[2]
assert "none-such" not in text and "nowhere" not in text, "ids and paths have no place here"
assert all(line.strip() == line for line in text.splitlines())
resident = after["process_resident_memory_bytes"].samples[0].value
print(f"metrics: {len(after)} families, {resident / 1e6:.1f} MB resident")
