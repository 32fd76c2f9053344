#!/bin/sh
# compare-sweep.sh GRAPH: solves for the budget of each point of the frontier
# of `sweep`. Names the points that are dearer and ends with the number of all.
reprise-plan sweep "$1" --work 0.02 --json | awk '
  { gsub(/[",]/, "") }
  $1 == "budget_bytes:" { budget = $2 }
  $1 == "cost_ms:" { cost = $2 }
  $1 == "frontier:" && $2 == "true" { print budget, cost }' |
  while read -r budget cost; do
    reprise-plan solve "$1" --budget "$budget" --json |
      awk -v of="$budget" -v cost="$cost" '
        $1 == "\"cost_ms\":" && $2 + 0 < cost - 1e-9 {
          print "dearer at " of " bytes: " cost " ms, not " ($2 + 0)
        }'
    echo point
  done | awk '{ if ($1 == "point") ++points; else print } END { print points " points" }'
