# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: results.json and table.txt, written anew after each item, and logs.tar.gz at the
# end.

# A line of text as the inside of a JSON string.
json_text() {
  tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g' | cut -c 1-300
}
# The end of what an item has said about its failure.
last_words() {
  { tail -n 1 "$results/logs/$1.err"; tail -n 1 "$results/logs/$1.log"; } 2> /dev/null |
    grep -v '^ *$' | head -n 1 | json_text
}

# record [<JSON members>]: the item that ran last; what failed has an "error".
record() {
  if [ -n "$rehearsal" ]; then return; fi
  members=${1-}
  if [ "$outcome" = failed ]; then
    members="$members${members:+, }\"error\": \"$(last_words "$name")\""
  fi
  printf '{"item": "%s", "outcome": "%s", "took_s": %s%s}\n' "$name" "$outcome" "$took" \
    "${members:+, $members}" >> "$results/items"
  write_results
}

write_results() {
  {
    printf '{"commit": "%s", "toolkit": "%s", "binaries": "%s", %s, "items": [\n' \
      "$commit" "$toolkit" "$binaries" "${about:-\"device\": \"unknown\"}"
    sed '$!s/$/,/' "$results/items"
    echo ']}'
  } > "$results/results.json.part" && mv "$results/results.json.part" "$results/results.json"
  write_table
}
# One row for each item: what, how it ended, and a figure's numbers.
write_table() {
  {
    printf '%s\n\n' "$about" | sed 's/"//g'
    sed 's/^{"item": //; s/}$//; s/"//g; s/, \(outcome\|took_s\): / /g; s/ \(what\|type\|n\|how\): [^,]*,*//g' \
      "$results/items" | awk -F, '{ split($1, a, " "); printf "%-32s %-8s %4s s", a[1], a[2], a[3]
        for (k = 2; k <= NF; ++k) printf "  %s", $k
        print "" }'
  } > "$results/table.txt.part" && mv "$results/table.txt.part" "$results/table.txt"
}

pack_logs() {
  if [ -d "$results/logs" ]; then
    tar -czf "$results/logs.tar.gz" -C "$results" logs && rm -r "$results/logs"
  fi
  rm -rf "$results/items" "$results/toolkit" "$results/cache" "$results/carried"
}
