# usage: stop-at-save.sh STATE ARGUMENTS...
#
# Trains, saving to STATE after every step, and stops after the first save as
# Ctrl-C does. A machine that is fast enough to finish before is tried again.
set -euo pipefail
state=$1
shift
for attempt in $(seq 20); do
  rm -f "$state"
  reprise train "$@" --save "$state" --save-every 1 >/dev/null 2>&1 &
  process=$!
  until [ -e "$state" ] || ! kill -0 $process 2>/dev/null; do
    sleep 0.001
  done
  kill -INT $process 2>/dev/null || true
  code=0
  wait $process || code=$?
  [ $code -ne 130 ] || exit 0
done
echo "never stopped in time" >&2
exit 1
