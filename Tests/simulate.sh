#!/usr/bin/env bash
# Runs the whole server in simulated machines, one for each seed:
#
#     Tests/simulate.sh [COUNT] [FIRST] [SUITE]
#
# If nothing is given, it runs 4,000 seeds from 1,000, which follow those that `swift test` runs. The
# suite is SimulationTests, or ClusterSimulationTests for several nodes on one store.
#
# A failing seed is printed; this repeats it with everything that happened in it:
#
#     NAVSTATE_SEED=SEED SWIFT_DETERMINISTIC_HASHING=1 swift test --filter 'SimulationTests\.SUITE'
#
# The variable gives sets and dictionaries the same order in each process. Several nodes take the
# same way only with it.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_DETERMINISTIC_HASHING=1
NAVSTATE_SIMULATIONS=${1:-4000} NAVSTATE_SIMULATIONS_FROM=${2:-1000} \
    exec swift test --filter "SimulationTests\.${3:-SimulationTests}"
