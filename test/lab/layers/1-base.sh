# A minimal Debian from the machine's own mirror, with what apt needs to reach that mirror from inside.
. "$LAB_LAYERS/in-chroot.sh"

mkdir -p "$LAB_ROOT"
debootstrap --variant=minbase --keyring="$LAB_KEYRING" "$LAB_SUITE" "$LAB_ROOT" "$LAB_MIRROR"

printf 'deb %s %s main\ndeb-src %s %s main\n' "$LAB_MIRROR" "$LAB_SUITE" "$LAB_MIRROR" "$LAB_SUITE" >"$LAB_ROOT/etc/apt/sources.list"
printf '%s\n' "$LAB_APT_CONFIGURATION" >"$LAB_ROOT/etc/apt/apt.conf.d/99machine"
# Names of machines and passwords for the mirror, and certificates for a mirror behind TLS.
for file in /etc/resolv.conf /etc/hosts /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/ssl/certs/ca-certificates.crt; do
  if [ -e "$file" ]; then
    mkdir -p "$LAB_ROOT$(dirname "$file")"
    cp -RLT "$file" "$LAB_ROOT$file"
  fi
done
