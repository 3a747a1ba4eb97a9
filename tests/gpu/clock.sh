# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: a clock that ends the run in time, and an item at a time.
#
# With rehearsal=expected or =worst nothing runs: every item takes what it is expected to, or its
# whole limit, on a clock that only counts.

began=$(date +%s)
counted=0

# Seconds since the start.
now() {
  if [ -n "$rehearsal" ]; then echo "$counted"; else echo $(($(date +%s) - began)); fi
}
# Seconds that are left, but for the last ones, in which results are packed.
left() {
  echo $((seconds - 10 - $(now)))
}

# item <name> <expected> <limit> <command>...: runs the command for at most `limit` seconds and not
# beyond the end; its output goes to logs/<name>.log. Sets `outcome` (ok, failed, timeout, skipped)
# and `took`. An item for which less time is left than it is expected to take is skipped.
item() {
  name=$1 expected=$2 limit=$3
  shift 3
  took=0
  if [ "$(left)" -lt "$expected" ]; then
    outcome=skipped
    say "$name" "skipped: $(left) s are left, $expected are needed"
    return
  fi
  if [ "$limit" -gt "$(left)" ]; then limit=$(left); fi
  if [ -n "$rehearsal" ]; then
    outcome=ok
    if [ "$rehearsal" = expected ]; then took=$expected; else took=$limit; fi
    say "$name" "from $counted to $((counted + took)) s"
    counted=$((counted + took))
    return
  fi
  start=$(date +%s)
  timeout -k 2 "$limit" "$@" > "$results/logs/$name.log" 2> "$results/logs/$name.err"
  code=$?
  took=$(($(date +%s) - start))
  case $code in
    0) outcome=ok ;;
    124 | 137) outcome=timeout ;;
    *) outcome=failed ;;
  esac
  say "$name" "$outcome after $took s"
}

say() {
  printf '%5d s  %-32s %s\n' "$(now)" "$1" "$2"
}
