# Sourced by run.sh, test.sh, release.sh and packaging/deb.sh: messages, the verdict at the end, and
# packages that a bare Debian or Ubuntu machine lacks.
# shellcheck shell=sh

step="starting"
say() { printf '%s\n' "trifac: $*"; }
begin() {
  step=$*
  say "$step"
}

# The last line tells how it went, whatever ended the script.
verdict="done"
finish() {
  status=$?
  if [ "$status" -eq 0 ]; then say "OK: $verdict"; else say "FAILED while $step"; fi
  exit "$status"
}
trap finish EXIT

# known_of <package>...: those that the lists of the archives have.
known_of() {
  for package in "$@"; do
    if apt-cache show "$package" > /dev/null 2>&1; then printf ' %s' "$package"; fi
  done
}

# install_missing <package>...: installs those of the Debian packages that are not there, without a
# question. Asks the network for nothing where all of them are. What the archives of this release
# have not (oclgrind since Debian 13) is named and done without; elsewhere than on Debian the machine
# is taken as it is. CMake will tell what is missing.
install_missing() {
  if ! command -v apt-get > /dev/null; then
    say "no apt-get on this machine; these Debian packages are expected by other means: $*"
    return 0
  fi
  missing=""
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed ||
      missing="$missing $package"
  done
  if [ -z "$missing" ]; then
    say "every package needed is installed"
    return 0
  fi
  # Where the archives' lists are here and know none of them there is nothing to ask for.
  # shellcheck disable=SC2086
  if ls /var/lib/apt/lists/*Packages* > /dev/null 2>&1 && [ -z "$(known_of $missing)" ]; then
    say "done without$missing, which this release has not"
    return 0
  fi
  begin "installing$missing"
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi
  # shellcheck disable=SC2086 # a list of words, and an empty prefix
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  known=$(known_of $missing)
  if [ "$known" != "$missing" ]; then say "of these this release has$known"; fi
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $known
}
