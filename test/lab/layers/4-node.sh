# Node.js for Windows, and k8s-win's own packages as npm installs them there.
. "$LAB_LAYERS/in-chroot.sh"

drive="$LAB_ROOT/lab/prefix/drive_c"
mkdir -p "$drive/k8s-win" "$drive/lab" "$LAB_ROOT/lab/npm"
# --force: npm would not install packages for Windows here.
HOME="$LAB_HOME" npm install --prefix "$LAB_ROOT/lab/npm" --cache "$LAB_ROOT/lab/npm/cache" --force --os=win32 --cpu=x64 \
  --ignore-scripts --no-save --no-package-lock --no-audit --no-fund $LAB_NPM_PACKAGES
for major in $LAB_NODES; do
  mkdir -p "$drive/lab/node$major"
  node_exe="$LAB_ROOT/lab/npm/node_modules/node$major/bin/node.exe"
  (cd "$LAB_LAYERS" && node --import tsx page-aligned.ts "$node_exe" "$drive/lab/node$major/node.exe")
  rm -r "$LAB_ROOT/lab/npm/node_modules/node$major"
done
mv "$LAB_ROOT/lab/npm/node_modules" "$drive/k8s-win/node_modules"
rm -r "$LAB_ROOT/lab/npm"
test -e "$drive"/k8s-win/node_modules/@koromix/koffi-win32-x64
