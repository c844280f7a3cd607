# Sourced by the layers: what a program inside the chroot needs, mounted in this layer's own mount namespace only.
set -euo pipefail
# A lab that a power cut leaves half-written is built again: no waiting for the disk after every file.
export DPKG_FORCE=unsafe-io
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin

mount_system() {
  mount -t proc proc "$LAB_ROOT/proc"
  mount --rbind /sys "$LAB_ROOT/sys"
  mount --rbind /dev "$LAB_ROOT/dev"
}

inside() {
  chroot "$LAB_ROOT" "$@"
}

install_packages() {
  inside apt-get --quiet --yes --no-install-recommends install "$@"
}
