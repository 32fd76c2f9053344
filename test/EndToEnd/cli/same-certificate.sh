#!/bin/bash
# same-certificate.sh DIR FLAGS: plan, why, report and inspect of a model against
# those of its artifact.
set -e
cd "$1"
shift
model="mlp --batch 1024 --threads 1 --roofline 100GFLOPS,10GB/s $*"
reprise compile $model -o r.rpx --json > compiled.json
reprise why $model > why.model
reprise why r.rpx > why.artifact
cmp why.model why.artifact
# Every value at the peak that is no workspace.
names=$(awk 'NR > 3 && $1 != "workspace" {print $1}' why.model | head -4)
test -n "$names"
for name in $names; do
  # In front of the flags, some of which take several words.
  reprise why mlp "$name" --json ${model#mlp} > value.model
  reprise why r.rpx "$name" --json > value.artifact
  cmp value.model value.artifact
done
case "$*" in
*--budget*)
  reprise plan $model > plan.model
  # Behind the table that an artifact has of all its bytes.
  reprise plan r.rpx | sed '1,/^r.rpx$/d' > plan.artifact
  cmp plan.model plan.artifact
  reprise inspect r.rpx |
    sed '1,/^budget of train_step$/d' > plan.inspected
  cmp plan.model plan.inspected
  ;;
*)
  reprise plan $model | sed 's/^mlp  /M  /' | tr -s ' ' > plan.model
  reprise plan r.rpx | sed 's/^r.rpx/M/' | tr -s ' ' > plan.artifact
  cmp plan.model plan.artifact
  ;;
esac
# But for the command that is told, and who made it.
facts() { grep -o '"entries":.*' "$1" | sed 's/"command":"[^"]*"//'; }
reprise report $model -o report.model > /dev/null
reprise report r.rpx -o report.artifact > /dev/null
cmp <(facts report.model) <(facts report.artifact)
test -n "$(facts report.model)"
