#!/bin/sh
# Debian packages of the last commit, in build/deb: libtrifac-dev, libtrifac-kernels0.3, trifac.
# Their tests run, too, except with DEB_BUILD_OPTIONS=nocheck.
set -eu
cd "$(dirname "$0")/../.."
cmake/release.sh
. cmake/setup.sh
install_missing build-essential dpkg-dev debhelper fakeroot cmake ninja-build pkg-config help2man \
  liblapacke-dev libopenblas-dev ocl-icd-opencl-dev opencl-headers libgtest-dev python3

version=$(sed -n 's/.*TRIFAC_VERSION_STRING "\(.*\)"/\1/p' include/trifac/version.hpp)
begin "building the packages"
mkdir -p build/deb
rm -rf "build/deb/trifac-$version"
cp "build/trifac-$version.tar.gz" "build/deb/trifac_$version.orig.tar.gz"
tar -xzf "build/trifac-$version.tar.gz" -C build/deb
cp -r "build/deb/trifac-$version/cmake/packaging/debian" "build/deb/trifac-$version/debian"
(cd "build/deb/trifac-$version" && dpkg-buildpackage -us -uc)
verdict="$(cd build/deb && echo ./*.deb)"
