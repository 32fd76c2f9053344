# Debian packages of Reprise; sourced by tools/quickstart, tools/run-tests and
# tools/package.
#
# install_packages NAME... installs what is missing, as root or through sudo.

reprise_build_packages="g++ clang-22 cmake ninja-build ccache
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools liblld-22-dev lld-22
  libflatbuffers-dev flatbuffers-compiler libdnnl-dev ocl-icd-opencl-dev
  opencl-c-headers
  libopenmpi-dev openmpi-bin libxxhash-dev zlib1g-dev libjpeg62-turbo-dev libpng-dev libarchive-dev
  libexif-dev libnifti-dev
  nlohmann-json3-dev libcli11-dev libyaml-cpp-dev libzstd-dev"
reprise_packing_packages="dpkg-dev file"
reprise_data_packages="dataset-fashion-mnist"
reprise_test_packages="libonnx-testdata libgtest-dev libboost-context-dev qemu-user binutils
  libbenchmark-dev libclang-rt-22-dev clang-format-22 python3
  python3-yaml python3-jsonschema git chromium man-db zsh fish mkdocs doxygen"

install_packages() {
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q 'install ok installed' || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    sudo="sudo"
    command -v sudo >/dev/null || {
      echo "error: run as root or install:$missing" >&2
      return 1
    }
  fi
  echo "installing:$missing"
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq \
    --no-install-recommends $missing >/dev/null
}
