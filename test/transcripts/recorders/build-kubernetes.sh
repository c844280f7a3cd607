# kube-apiserver, and kubelet.exe, kube-proxy.exe and hns-client.exe for Windows, from Debian's sources, and etcd beside
# them: into the folder that is named. Nothing is installed. About a quarter of an hour on two cores.
set -euo pipefail
out=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$out/work
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/cache"

# The machine's own mirror, with the sources of the release that has this Kubernetes.
mirror=$(apt-get update --print-uris 2>/dev/null | sed -n "s#^'\(.*\)/dists/[a-z]*/InRelease'.*#\1#p" | head -n 1)
test -n "$mirror"
printf 'deb %s bookworm main\ndeb-src %s bookworm main\n' "$mirror" "$mirror" >"$work/sources.list"
cat >"$work/apt.conf" <<END
Dir::State::Lists "$work/lists";
Dir::Cache "$work";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
END
export APT_CONFIG=$work/apt.conf
cd "$work"
apt-get --quiet update
apt-get --quiet download golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev etcd-server
apt-get --quiet source --download-only kubernetes
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
build() { nice go build -trimpath -ldflags "$flags" -o "$out/$1" "k8s.io/kubernetes/$2"; }

# What its own Makefile would generate: the schemas that kube-apiserver answers with.
build work/openapi-gen vendor/k8s.io/kube-openapi/cmd/openapi-gen
generate() {
  "$work/openapi-gen" --logtostderr -i "$1" -p "k8s.io/kubernetes/$2" -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$work/violations" --output-base "$GOPATH/src"
}
tagged() { grep -Rl --include='*.go' '+k8s:openapi-gen=' "$@" | xargs -n1 dirname | LC_ALL=C sort -u | sed 's#^#k8s.io/kubernetes/#'; }
machinery=k8s.io/kubernetes/vendor/k8s.io/apimachinery/pkg
common=$machinery/apis/meta/v1,$machinery/runtime,$machinery/version
generate "$(tagged pkg cmd plugin vendor/k8s.io/*/ | grep -v -e code-generator -e sample-apiserver -e kube-openapi -e gengo | paste -sd,)" \
  pkg/generated/openapi
generate "$common,$(tagged vendor/k8s.io/kube-aggregator/ | paste -sd,)" staging/src/k8s.io/kube-aggregator/pkg/generated/openapi
generate "$common,k8s.io/kubernetes/vendor/k8s.io/api/autoscaling/v1" staging/src/k8s.io/apiextensions-apiserver/pkg/generated/openapi

GOOS=windows GOARCH=amd64 build hns-client.exe cmd/hns-client
GOOS=windows GOARCH=amd64 build kube-proxy.exe cmd/kube-proxy
GOOS=windows GOARCH=amd64 build kubelet.exe cmd/kubelet
build kube-apiserver cmd/kube-apiserver
cp "$work/unpacked/usr/bin/etcd" "$out/etcd"
rm -rf "$work"
