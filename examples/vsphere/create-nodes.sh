#!/bin/sh
# Clones a template with VMware Tools and cloudbase-init, and starts the clones: create-nodes.sh <template> <first> <last>
set -eu

fail() {
  echo "create-nodes.sh: $1" >&2
  exit 1
}

# Errors are reported before the first clone. set -e does not notice a failure in a pipe or in the list of a loop.
is_number() { case $1 in '' | *[!0-9]* | 0?*) return 1 ;; esac; }
[ $# -eq 3 ] && [ -n "$1" ] && is_number "$2" && is_number "$3" ||
  fail 'Three arguments are required: <template> <first> <last>, the last two are numbers.'
[ "$2" -le "$3" ] || fail "The first number, $2, is greater than the last, $3."
userdata=$(dirname "$0")/userdata.txt
[ -r "$userdata" ] || fail "$userdata cannot be read."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# In files: other users of this machine can read the arguments of govc, and the token is in the user data. The metadata of
# userdata.txt are not used: every machine gets its own, with its name as the instance ID.
for key in guestinfo.userdata guestinfo.userdata.encoding; do
  sed -n "s/^$key=//p" "$userdata" | tr -d '\r\n' >"$folder/$key"
  [ -s "$folder/$key" ] || fail "$userdata has no $key. Write it with: k8s-win userdata vsphere ... > userdata.txt"
done

number=$2
while [ "$number" -le "$3" ]; do
  name=win-$number
  printf '{"instance-id": "%s", "local-hostname": "%s"}' "$name" "$name" >"$folder/guestinfo.metadata"
  govc vm.clone -vm "$1" -on=false "$name"
  govc vm.change -vm "$name" \
    -f "guestinfo.userdata=$folder/guestinfo.userdata" \
    -f "guestinfo.userdata.encoding=$folder/guestinfo.userdata.encoding" \
    -f "guestinfo.metadata=$folder/guestinfo.metadata"
  govc vm.power -on "$name"
  number=$((number + 1))
done
