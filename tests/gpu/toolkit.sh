# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: finds CUDA's headers and libraries.

# Folders that may hold some of the toolkit, best first: what the user says, nvcc's, the usual ones,
# and the packages of Python, which are many folders with an include and a lib each.
toolkit_candidates() {
  echo "${CUDAToolkit_ROOT-}"
  nvcc=$(command -v nvcc) && dirname "$(dirname "$(readlink -f "$nvcc")")"
  for folder in /usr/local/cuda /usr/local/cuda-* /opt/cuda; do echo "$folder"; done
  python3 -c 'import nvidia; print(*list(nvidia.__path__), sep="\n")' 2> /dev/null
}

# link_tree <root> <to>: a tree of links to the headers and libraries below a root, where each
# library has its plain name, too. The root is a toolkit, or Python's folder of parts.
link_tree() {
  mkdir -p "$2/include" "$2/lib64"
  for part in "$1" "$1"/*/ "$1"/targets/x86_64-linux; do
    for header in "$part"/include/* "$part"/include/cccl/nv; do
      if [ -e "$header" ]; then ln -sfn "$header" "$2/include/${header##*/}"; fi
    done
    for library in "$part"/lib/lib*.so* "$part"/lib64/lib*.so*; do
      file=${library##*/}
      if [ ! -e "$library" ] || [ -e "$2/lib64/$file" ]; then continue; fi
      ln -sfn "$library" "$2/lib64/$file"
      if [ ! -e "$2/lib64/${file%%.so*}.so" ]; then ln -sfn "$library" "$2/lib64/${file%%.so*}.so"; fi
    done
  done
}

# toolkit_parts <tree>: which parts can be compiled and linked, of cuda cublas cusolver. None of a
# toolkit before 12.8, which trifac does not compile with; cublas_v2.h wants nv/target, which is of
# another package than itself.
toolkit_parts() {
  version=$(sed -n 's/#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$1/include/cuda_runtime_api.h" 2> /dev/null)
  if [ "${version:-0}" -lt 12080 ]; then return; fi
  for part in cuda:cuda_runtime_api.h:cudart cuda:nvrtc.h:nvrtc cublas:cublas_v2.h:cublas \
    cusolver:cusolverDn.h:cusolver; do
    rest=${part#*:}
    case ${part%%:*} in cu[bs]*) if [ ! -e "$1/include/nv/target" ]; then continue; fi ;; esac
    if [ -e "$1/include/${rest%:*}" ] && [ -e "$1/lib64/lib${rest#*:}.so" ]; then echo "${part%%:*}"; fi
  done | sort | uniq -c | awk '$2 != "cuda" || $1 == 2 { printf "%s ", $2 }'
}

# find_toolkit <tree>: makes the tree from the candidate with the most parts; sets `toolkit`,
# `parts`.
find_toolkit() {
  toolkit="" parts="" best=0
  while IFS= read -r candidate; do
    if [ ! -d "$candidate" ]; then continue; fi
    rm -rf "$1.try"
    link_tree "$candidate" "$1.try"
    found=$(toolkit_parts "$1.try")
    count=$(echo "$found" | wc -w)
    if [ "$count" -gt "$best" ]; then
      best=$count parts=$found toolkit=$candidate
      rm -rf "$1"
      mv "$1.try" "$1"
    fi
  done << END
$(toolkit_candidates)
END
  rm -rf "$1.try"
}
