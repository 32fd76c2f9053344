# usage: address-space.sh PREFIX
#
# Trains within ever more address space: from where the libraries load, until
# it works. Prints each size and exit code.
set -uo pipefail
failures=0
for mib in $(seq 260 24 1100); do
  code=0
  (
    ulimit -v $((mib * 1024))
    exec reprise train mlp --data synthetic --steps 1 --batch 4 --threads 2
  ) >"$1.out" 2>&1 || code=$?
  echo "$mib $code"
  case $code in
  0) break ;;
  1)
    grep -q '^error: ' "$1.out" || echo "$mib 134: no message"
    failures=$((failures + 1))
    ;;
  esac
done
echo "loaded without memory: $failures"
[ $code -eq 0 ] && echo done
