#!/bin/sh
# more-work.sh DIR SEED...: the cost and the bound of a step of 60 layers in a
# third of its bytes, by work and threads. Says where more work is worse and
# ends with the number of plans.
dir=$1
inputs=$(dirname "$0")
shift
for seed in "$@"; do
  awk -v seed="$seed" -v n=60 -f "$inputs/layers.awk" > "$dir/$seed.json"
  for work in 0.02 0.2 1; do
    for threads in 1 2; do
      reprise-plan solve "$dir/$seed.json" --budget 32% --work $work \
        --threads $threads --json |
        awk -v of="$seed" -v work=$work '
          { gsub(",", "") }
          $1 == "\"cost_ms\":" { cost = $2 }
          $1 == "\"bound_ms\":" { bound = $2 }
          END { print of, work, cost, bound }'
    done
  done
done | awk '
  { ++plans }
  $1 != of { of = $1; work = 0 }
  work && ($3 > cost || $4 < bound) {
    print "step " $1 ": with work " $2 " " $3 " ms, at least " $4 "; with " \
      work " " cost " and " bound
  }
  work == $2 && ($3 != cost || $4 != bound) { print "threads differ: " $0 }
  { work = $2; cost = $3; bound = $4 }
  END { print plans " plans" }'
