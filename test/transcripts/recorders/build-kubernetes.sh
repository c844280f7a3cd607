# Programs of Kubernetes from Debian's sources, and its etcd and kubectl beside them: `build-kubernetes.sh <folder> <program>...`.
# Names that end in .exe are for Windows. Nothing is installed. A quarter of an hour to half an hour on two cores.
set -euo pipefail
out=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$out/work
mkdir -p "$out"
# A second build that is started beside this one waits, and then finds what this one has made.
exec 9>"$out/lock"
flock 9
missing=()
for program in "$@"; do test -e "$out/$program" || missing+=("$program"); done
test ${#missing[@]} -gt 0 || exit 0
# EX_TEMPFAIL: the packages cannot be had here, which says nothing about the build.
not_available() {
  echo "$1" >&2
  exit 75
}
wants() { [[ " ${missing[*]} " == *" $1 "* ]]; }
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/cache"

# The machine's own mirror, with the sources of the release that has this Kubernetes.
mirror=$(apt-get update --print-uris 2>/dev/null | sed -n "s#^'\(.*\)/dists/[a-z]*/InRelease'.*#\1#p" | head -n 1) || true
test -n "$mirror" || not_available 'apt has no mirror of Debian in its configuration'
printf 'deb %s bookworm main\ndeb-src %s bookworm main\n' "$mirror" "$mirror" >"$work/sources.list"
cat >"$work/apt.conf" <<END
Dir::State::Lists "$work/lists";
Dir::Cache "$work";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
END
export APT_CONFIG=$work/apt.conf
cd "$work"
apt-get --quiet update || not_available "apt-get update failed for $mirror bookworm"
apt-get --quiet download golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev etcd-server kubernetes-client ||
  not_available "$mirror does not offer the packages of bookworm: Go 1.19, reflect2, etcd-server, kubernetes-client"
apt-get --quiet source --download-only kubernetes || not_available "$mirror does not offer the sources of kubernetes in bookworm"
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
kubernetes=$work/go/src/k8s.io/kubernetes
mkdir -p "$kubernetes"
tar --extract --gzip --file kubernetes_*.orig.tar.gz --directory "$kubernetes" --strip-components=1

# The reflect2 that is there ends in a panic with Go 1.18 and newer (as Debian's own kubectl config set-credentials does).
reflect2=vendor/github.com/modern-go/reflect2
rm "$kubernetes/$reflect2"/*.go "$kubernetes/$reflect2"/*.s
cp "$work"/unpacked/usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} "$kubernetes/$reflect2/"
rm -f "$kubernetes/$reflect2"/*_test.go
mkdir -p "$kubernetes/cmd/hns-client"
cp "$here/hns-client.go" "$kubernetes/cmd/hns-client/main.go"

export GOROOT=$work/unpacked/usr/lib/go-1.19 GOPATH=$work/go GOCACHE=$work/cache GO111MODULE=off GOPROXY=off CGO_ENABLED=0
export PATH=$GOROOT/bin:/usr/bin:/bin HOME=$work
cd "$kubernetes"
flags='-s -w'
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  for name in "$package" "k8s.io/kubernetes/vendor/$package"; do
    flags="$flags -X $name.gitVersion=v1.20.2 -X $name.gitMajor=1 -X $name.gitMinor=20 -X $name.gitTreeState=archive"
    flags="$flags -X $name.gitCommit= -X $name.buildDate=2021-01-13T00:00:00Z"
  done
done
# One program at a time, two compilers at most, behind everything else that the machine does. A build that is cut short leaves
# no program: it gets its name when it is whole.
build() {
  nice -n 10 go build -p 2 -trimpath -ldflags "$flags" -o "$work/built" "k8s.io/kubernetes/$2"
  mv "$work/built" "$out/$1"
}

# What its own Makefile would generate: the schemas that kube-apiserver answers with.
generate() {
  "$work/openapi-gen" --logtostderr -i "$1" -p "k8s.io/kubernetes/$2" -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$work/violations" --output-base "$GOPATH/src"
}
tagged() { grep -Rl --include='*.go' '+k8s:openapi-gen=' "$@" | xargs -n1 dirname | LC_ALL=C sort -u | sed 's#^#k8s.io/kubernetes/#'; }
generate_schemas() {
  build work/openapi-gen vendor/k8s.io/kube-openapi/cmd/openapi-gen
  local machinery=k8s.io/kubernetes/vendor/k8s.io/apimachinery/pkg
  local common=$machinery/apis/meta/v1,$machinery/runtime,$machinery/version
  generate "$(tagged pkg cmd plugin vendor/k8s.io/*/ | grep -v -e code-generator -e sample-apiserver -e kube-openapi -e gengo | paste -sd,)" \
    pkg/generated/openapi
  generate "$common,$(tagged vendor/k8s.io/kube-aggregator/ | paste -sd,)" staging/src/k8s.io/kube-aggregator/pkg/generated/openapi
  generate "$common,k8s.io/kubernetes/vendor/k8s.io/api/autoscaling/v1" staging/src/k8s.io/apiextensions-apiserver/pkg/generated/openapi
}

for name in etcd kubectl; do
  if wants "$name"; then mv "$work/unpacked/usr/bin/$name" "$out/$name"; fi
done
for name in kubeadm kubelet; do
  if wants "$name"; then build "$name" "cmd/$name"; fi
done
for name in hns-client kube-proxy kubelet; do
  if wants "$name.exe"; then GOOS=windows GOARCH=amd64 build "$name.exe" "cmd/$name"; fi
done
if wants kube-apiserver || wants kube-controller-manager; then generate_schemas; fi
for name in kube-apiserver kube-controller-manager; do
  if wants "$name"; then build "$name" "cmd/$name"; fi
done
rm -rf "$work"
