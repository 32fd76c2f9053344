# only-features.sh [--features OTHER] ARTIFACT...: the kernels of each artifact
# hold no instruction that needs a feature which the artifact, or OTHER in its
# place, does not name.
#
# Disassembles, and assembles what comes out for a processor with these
# features: GNU's assembler refuses the instructions that it lacks, which LLVM's
# does not. Padding is left out: the disassembler writes its prefixes so that
# they cannot be read back.
set -eu
other=
if [ "$1" = --features ]; then
  other=$2
  shift 2
fi
for artifact; do
  march=generic64
  for feature in $(reprise inspect "${other:-$artifact}" --json |
    sed -nE 's/^ *"target": "(.*)",$/\1/p' | tr , ' '); do
    case $feature in
    sahf) continue ;; # has no name there
    amx-*) feature=amx_${feature#amx-} ;;
    avx512bf16 | avx512bitalg | avx512fp16 | avx512vbmi2 | avx512vnni | \
      avx512vpopcntdq) feature=avx512_${feature#avx512} ;;
    avxvnni) feature=avx_vnni ;;
    esac
    march=$march+$feature
  done
  reprise inspect "$artifact" --code "$artifact.so" >/dev/null
  objdump -d --no-show-raw-insn --no-addresses "$artifact.so" |
    sed -nE '/^\t/{s/<[^>]*>/0/g;s/#.*$//;p}' |
    grep -vE '\bnop|xchg +%ax,%ax' >"$artifact.s"
  instructions=$(wc -l <"$artifact.s")
  [ "$instructions" -gt 100 ] || {
    echo "$artifact has only $instructions instructions" >&2
    exit 1
  }
  as -march="$march" "$artifact.s" -o /dev/null
  echo "$artifact: $instructions instructions need no other feature than the" \
    "artifact's"
done
