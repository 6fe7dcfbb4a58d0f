#!/usr/bin/env bash
# Runs the whole server in simulated machines, one for each seed:
#
#     Tests/simulate.sh [COUNT] [FIRST]        2,000 seeds from 0 if nothing is given
#
# A failing seed is printed; this repeats it with everything that happened in it:
#
#     NAVSTATE_SEED=SEED swift test --filter SimulationTests
set -euo pipefail
cd "$(dirname "$0")/.."
NAVSTATE_SIMULATIONS=${1:-2000} NAVSTATE_SIMULATIONS_FROM=${2:-0} \
    exec swift test --filter SimulationTests
