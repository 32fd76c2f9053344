# write-volumes.sh FILE: two volumes of 6 slices of 20x12, one channel, all zero,
# with labels 0, as a safetensors file.
header='{"image":{"dtype":"F32","shape":[2,6,20,12,1],"data_offsets":[0,11520]},'
header+='"label":{"dtype":"I32","shape":[2],"data_offsets":[11520,11528]}}'
{
  printf "\\x$(printf %02x "${#header}")\\0\\0\\0\\0\\0\\0\\0%s" "$header"
  head -c 11528 /dev/zero
} > "$1"
