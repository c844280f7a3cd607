#!/bin/sh
# Clones a template with VMware Tools and cloudbase-init, and starts the clones: create-nodes.sh <template> <first> <last>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# In files: other users of this machine can read the arguments of govc, and the token is in the user data.
for key in guestinfo.userdata guestinfo.userdata.encoding; do
  sed -n "s/^$key=//p" "$(dirname "$0")/userdata.txt" | tr -d '\n' >"$folder/$key"
done

for number in $(seq "$2" "$3"); do
  name=win-$number
  printf '{"instance-id": "%s", "local-hostname": "%s"}' "$name" "$name" >"$folder/guestinfo.metadata"
  govc vm.clone -vm "$1" -on=false "$name"
  govc vm.change -vm "$name" \
    -f "guestinfo.userdata=$folder/guestinfo.userdata" \
    -f "guestinfo.userdata.encoding=$folder/guestinfo.userdata.encoding" \
    -f "guestinfo.metadata=$folder/guestinfo.metadata"
  govc vm.power -on "$name"
done
