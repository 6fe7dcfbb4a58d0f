-- The requests of the reads, durable and mixed workloads, for wrk.
--
--     wrk … -s workload.lua URL -- KIND SESSIONS STRIDE START [FIRST]
--
-- KIND is reads, durable or mixed; the sessions s-(FIRST), s-(FIRST + STRIDE), s-(FIRST + 2 STRIDE)
-- … are visited in a scattered order, from the START-th on. FIRST is 0 by default. Changes come in blocks: a navigate in each of up to
-- 1,024 sessions, then a back in each of the same, so that connections which overtake each other
-- never pop what is not there yet, and no path grows. In mixed every tenth request is a change.
--
-- At the end one line of JSON says what was counted; `failed` is every answer of 400 and above
-- and every connection that could not be opened, read, written or waited for.

local kind, sessions, stride, start, first, block
local turn = 0
local bodies = {
    navigate = '{"route":"detail","params":{"item":{"id":"42","name":"Ada"}}}',
    back = "{}",
}
local kept, kept_count, KEPT_MAX = {}, 0, 60000

function init(arguments)
    kind, sessions, stride = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
    start = tonumber(arguments[4])
    first = tonumber(arguments[5] or 0)
    block = math.min(1024, sessions)
end

local function text(what, position)
    local place = ((start + position) * 7919) % sessions
    local id = string.format("s-%07d", first + place * stride)
    if what == "read" then return wrk.format("GET", "/v1/sessions/" .. id) end
    local headers = { ["Content-Type"] = "application/json" }
    return wrk.format("POST", "/v1/sessions/" .. id .. "/" .. what, headers, bodies[what])
end

-- Made once and kept while there are few enough of them, so that wrk is not what is measured.
local function request_for(what, position)
    local row = kept[what]
    if row == nil then row = {}; kept[what] = row end
    local found = row[position % sessions]
    if found == nil then
        found = text(what, position % sessions)
        if kept_count < KEPT_MAX then
            row[position % sessions] = found
            kept_count = kept_count + 1
        end
    end
    return found
end

local function change(number)
    local what = math.floor(number / block) % 2 == 0 and "navigate" or "back"
    return request_for(what, math.floor(number / (2 * block)) * block + number % block)
end

function request()
    local number = turn
    turn = turn + 1
    if kind == "durable" then return change(number) end
    if kind == "mixed" and number % 10 == 9 then return change((number - 9) / 10) end
    return request_for("read", number)
end

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    local form = 'RESULT {"requests": %d, "seconds": %.6f, "p50": %.1f, "p99": %.1f, "failed": %d}'
    print(string.format(form, summary.requests, summary.duration / 1e6, latency:percentile(50),
        latency:percentile(99), failed))
end
