#!/usr/bin/env bash
# Runs the whole server in simulated machines, one for each seed:
#
#     Tests/simulate.sh [COUNT] [FIRST] [SUITE]
#
# If nothing is given, it runs 4,000 seeds from 2,000, which follow those that `swift test` runs. The
# suite is SimulationTests, or ClusterSimulationTests for several nodes on one store.
#
# A failing seed is printed; this repeats it with everything that happened in it:
#
#     NAVSTATE_SEED=SEED swift test --filter 'SimulationTests\.SUITE'
set -euo pipefail
cd "$(dirname "$0")/.."
NAVSTATE_SIMULATIONS=${1:-4000} NAVSTATE_SIMULATIONS_FROM=${2:-2000} \
    exec swift test --filter "SimulationTests\.${3:-SimulationTests}"
