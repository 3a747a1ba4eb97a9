#!/bin/sh
# Builds the documentation site into build/docs/site: the pages of this folder and the API
# reference. Warnings are errors. Needs Python 3 with venv and doxygen; on Debian and Ubuntu
# installs what is missing. Ends with one line of verdict and the exit code that goes with it.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

install_missing python3 python3-venv doxygen

work=build/docs
python=$work/python
mkdir -p "$work"
if ! cmp -s docs/requirements.txt "$python/requirements.txt"; then
  begin "installing Sphinx into $python"
  rm -rf "$python"
  python3 -m venv "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$python/requirements.txt"
fi

begin "building the pages"
"$python/bin/python" -B -m sphinx -W --keep-going -q -E -b html -d "$work/doctrees" docs "$work/site"
begin "building the API reference"
(cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $work/site") | doxygen -

pages=$(find "$work/site" -maxdepth 1 -name '*.html' | wc -l)
verdict="$pages pages and the API reference; open $work/site/index.html"
