# Drive C as Wine makes it: the template every run starts from.
. "$LAB_LAYERS/in-chroot.sh"

mount_system
mkdir -p "$LAB_ROOT/lab"
export WINEDEBUG=-all WINEPREFIX=/lab/prefix
# No .NET and no browser: asking for them would wait for somebody to click.
WINEDLLOVERRIDES='mscoree=;mshtml=' inside /usr/lib/wine/wine64 wineboot -i </dev/null
# No window ever opens: without this the first program finds words about a missing display on its stderr.
inside /usr/lib/wine/wine64 reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null /f </dev/null
# The registry is on disk only when the server has ended.
inside wineserver -w
test -s "$LAB_ROOT/lab/prefix/system.reg"
