#!/bin/sh
# Clones a template with VMware Tools and cloudbase-init, and starts the clones: create-nodes.sh <template> <first> <last>
set -eu
template=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# From files: a process of another user can read the arguments of govc, and the token is in the value.
for key in guestinfo.userdata guestinfo.userdata.encoding; do
  sed -n "s/^$key=//p" "$(dirname "$0")/userdata.txt" | tr -d '\n' >"$folder/$key"
done

for number in $(seq "$2" "$3"); do
  name=win-$number
  printf '{"instance-id": "%s", "local-hostname": "%s"}' "$name" "$name" >"$folder/guestinfo.metadata"
  govc vm.clone -vm "$template" -on=false "$name"
  set --
  for key in guestinfo.userdata guestinfo.userdata.encoding guestinfo.metadata; do
    set -- "$@" -f "$key=$folder/$key"
  done
  govc vm.change -vm "$name" "$@"
  govc vm.power -on "$name"
done
