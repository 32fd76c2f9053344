# Faults that follow a line which ends no statement, label or block.
{
  line = $0
  sub(/ *\/\/.*/, "", line)
}
/^ +REPRISE_FAULT\(/ && before !~ /[;{}:]$/ {
  print FILENAME ":" FNR ": a fault follows a line that is not a whole statement"
  failed = 1
}
line !~ /^ *$/ { before = line }
END { exit failed }
