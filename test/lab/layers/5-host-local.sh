# host-local.exe from Debian's sources. Its -dev packages leave out the parts for Windows: the sources come first in GOPATH.
. "$LAB_LAYERS/in-chroot.sh"

mount_system
install_packages $LAB_GO_PACKAGES
mkdir -p "$LAB_ROOT/lab/go" "$LAB_ROOT/lab/prefix/drive_c/lab/tools"
inside bash -euo pipefail -c '
  cd /lab/go
  apt-get --quiet source --download-only golang-github-containernetworking-plugins golang-golang-x-sys
  mkdir -p src/github.com/containernetworking src/golang.org/x
  dpkg-source --no-check -x golang-github-containernetworking-plugins_*.dsc src/github.com/containernetworking/plugins
  dpkg-source --no-check -x golang-golang-x-sys_*.dsc src/golang.org/x/sys
  GO111MODULE=off GOPATH=/lab/go:/usr/share/gocode GOCACHE=/lab/go/cache GOOS=windows GOARCH=amd64 CGO_ENABLED=0 \
    go build -trimpath -o /lab/prefix/drive_c/lab/tools/host-local.exe \
    github.com/containernetworking/plugins/plugins/ipam/host-local
'
rm -r "$LAB_ROOT/lab/go"
inside apt-get clean
