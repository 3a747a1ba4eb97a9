# shellcheck shell=sh
# Read by the scripts beside it.

# find_trifac <prefix>: pkg-config knows the trifac that is installed there. Exits with 77 where there
# is no pkg-config.
find_trifac() {
  if ! command -v pkg-config > /dev/null; then
    echo "skipped: there is no pkg-config"
    exit 77
  fi
  PKG_CONFIG_PATH=$1/share/pkgconfig
  for folder in "$1"/lib*/pkgconfig "$1"/lib/*/pkgconfig; do PKG_CONFIG_PATH=$PKG_CONFIG_PATH:$folder; done
  export PKG_CONFIG_PATH
}

# begin_in <folder>: empty, and the current one.
begin_in() {
  rm -rf "$1"
  mkdir -p "$1"
  cd "$1" || exit
}
