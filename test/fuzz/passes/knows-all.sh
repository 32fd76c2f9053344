# knows-all.sh FUZZ-PASSES REPRISE-OPT: every pass of Reprise is among those
# that fuzz-passes runs alone.
set -eu
passes=$("$2" --help | grep -oE '^ +--(sg|rt|remat|stablehlo)-[a-z-]+' | tr -d ' ' |
  sed 's/^--//' | sort -u)
[ "$(echo "$passes" | wc -l)" -gt 10 ]
known=$("$1" --list)
for pass in $passes; do
  echo "$known" | grep -qw -- "$pass" || {
    echo "fuzz-passes does not run $pass" >&2
    exit 1
  }
done
