# Process 1 of a lab machine: a private, writable view of the lab in memory, gone with the last of its processes.
# It ends, and everything in it with it, when its standard input closes. Arguments: lab folder, session's layer, host name.
set -eu
lab=$1 layer=$2 name=$3

# Asked before /proc is the machine's own: the number by which Linux outside knows this process.
read -r pid _ </proc/self/stat

mount -t tmpfs -o mode=0755 lab "$lab/mnt"
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

# Without -p Wine ends its services a moment after the last ordinary program.
chroot root wineserver -p

# Said only from inside: from now on /proc/<pid>/root is the machine's root for those outside.
# Orphans have nobody to ask for their end: without CHLD the kernel buries them at once.
exec chroot root sh -c 'trap "" CHLD; echo "$0"; exec cat' "$pid"
