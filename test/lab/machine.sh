# Process 1 of a lab machine: a private, writable view of the lab in memory, gone with the last of its processes.
# It ends, and everything in it with it, when its standard input closes.
# Arguments: lab folder, session's layer, host name, the adapter's name where the network is the machine's own.
set -eu
lab=$1 layer=$2 name=$3 adapter=$4

# Asked before /proc is the machine's own: the number by which Linux outside knows this process.
read -r pid _ </proc/self/stat

# As roomy as a node must be: it takes memory only for what is written.
mount -t tmpfs -o mode=0755,size=96g lab "$lab/mnt"
mkdir "$lab/mnt/base" "$lab/mnt/layer" "$lab/mnt/upper" "$lab/mnt/work" "$lab/mnt/root"
mount --bind "$lab/root" "$lab/mnt/base"
mount --bind "$layer" "$lab/mnt/layer"
# Names without any letter that means something to overlay's options.
cd "$lab/mnt"
mount -t overlay -o lowerdir=layer:base,upperdir=upper,workdir=work lab root
mount -t proc proc root/proc
mount --rbind /sys root/sys
mount --rbind /dev root/dev
hostname "$name"
echo "127.0.0.1 localhost $name" >root/etc/hosts

# As the simulated host has it (src/simulator/profiles), and nothing beyond: the API server's address is the machine's own.
# The adapter is one end of a cable whose other end is in here too; what nobody uses of it is IPv6.
if [ -n "$adapter" ]; then
  echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
  ip link set lo up
  ip address add 10.0.0.10/32 dev lo
  ip link add "$adapter" type veth peer name cable
  ip address add 10.0.0.5/24 dev "$adapter"
  ip link set cable up
  ip link set "$adapter" up
  ip route add default via 10.0.0.1
  echo 'nameserver 10.0.0.2' >root/etc/resolv.conf
fi

# Wine's service manager ends what has not come to it in ten seconds, which a busy computer may need.
if [ -n "$adapter" ]; then
  printf '\n[System\\\\ControlSet001\\\\Control]\n"ServicesPipeTimeout"=dword:0000ea60\n' >>root/lab/prefix/system.reg
fi

# Without -p Wine ends its services a moment after the last ordinary program.
chroot root wineserver -p

# Said only from inside: from now on /proc/<pid>/root is the machine's root for those outside.
# Orphans have nobody to ask for their end: without CHLD the kernel buries them at once.
exec chroot root sh -c 'trap "" CHLD; echo "$0"; exec cat' "$pid"
