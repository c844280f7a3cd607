# Wine, its service manager among it, and a C compiler for Windows.
. "$LAB_LAYERS/in-chroot.sh"

mount_system
inside apt-get --quiet update
install_packages $LAB_PACKAGES
inside apt-get clean
