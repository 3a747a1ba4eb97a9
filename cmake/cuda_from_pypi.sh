#!/bin/sh
# Headers and libraries of the CUDA Toolkit from PyPI's nvidia-* packages, for machines that have
# none: enough to build trifac's CUDA backend, to compile its kernels and to start. No driver.
#
#   cmake/cuda_from_pypi.sh <folder>      then configure with -DCUDAToolkit_ROOT=<folder>
#
# Does nothing where the folder already holds them.
set -eu
root=${1:?usage: $0 <folder>}

# One release of the toolkit; the versions of its parts differ.
packages="nvidia-cuda-runtime==13.0.96 nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-crt==13.0.88
  nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.0.3 nvidia-cusolver==12.0.4.66
  nvidia-cusparse==12.6.3.3 nvidia-nvjitlink==13.0.88"

if [ -f "$root/complete" ] && [ "$(cat "$root/complete")" = "$packages" ]; then exit 0; fi
mkdir -p "$root/packages"
# shellcheck disable=SC2086 # a list of words
python3 -m pip install --quiet --no-deps --upgrade --target "$root/packages" $packages

# All of them unpack into nvidia/cu13: include/ and lib/, where libraries have no plain names.
ln -sfn packages/nvidia/cu13/include "$root/include"
mkdir -p "$root/lib64"
for library in "$root"/packages/nvidia/cu13/lib/lib*.so*; do
  file=${library##*/}
  ln -sfn "../packages/nvidia/cu13/lib/$file" "$root/lib64/$file"
  ln -sfn "$file" "$root/lib64/${file%%.so*}.so"
done
printf '%s' "$packages" > "$root/complete"
