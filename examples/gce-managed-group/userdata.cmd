@echo off
setlocal enableextensions disabledelayedexpansion
set "errorlevel="
set "folder=%ProgramFiles%\k8s-win"
set "program=%folder%\k8s-win.exe"
if not exist "%folder%" mkdir "%folder%"
"%SystemRoot%\System32\certutil.exe" -hashfile "%program%" SHA256 | "%SystemRoot%\System32\findstr.exe" /l /x /i "0000000000000000000000000000000000000000000000000000000000000000" >nul
if %errorlevel%==0 goto run
"%SystemRoot%\System32\curl.exe" --disable --fail --silent --show-error --globoff --location --proto "=https" --ssl-no-revoke --retry 8 --retry-delay 10 --retry-connrefused --retry-max-time 1200 --connect-timeout 30 --max-time 900 --output "%folder%\k8s-win.new" https://files.example.com/k8s-win.exe
if not %errorlevel%==0 "%SystemRoot%\System32\curl.exe" --disable --fail --silent --show-error --globoff --location --proto "=https" --ssl-no-revoke --retry 8 --retry-delay 10 --retry-connrefused --retry-max-time 1200 --connect-timeout 30 --max-time 900 --output "%folder%\k8s-win.new" https://files.example.com/k8s-win.exe
if not %errorlevel%==0 goto not-fetched
"%SystemRoot%\System32\certutil.exe" -hashfile "%folder%\k8s-win.new" SHA256 | "%SystemRoot%\System32\findstr.exe" /l /x /i "0000000000000000000000000000000000000000000000000000000000000000" >nul
if not %errorlevel%==0 goto wrong-digest
if exist "%folder%\k8s-win.old" del /q "%folder%\k8s-win.old"
if exist "%program%" move /y "%program%" "%folder%\k8s-win.old" >nul
move /y "%folder%\k8s-win.new" "%program%" >nul
"%SystemRoot%\System32\certutil.exe" -hashfile "%program%" SHA256 | "%SystemRoot%\System32\findstr.exe" /l /x /i "0000000000000000000000000000000000000000000000000000000000000000" >nul
if not %errorlevel%==0 goto not-written
:run
"%program%" setup --launcher=none --server=https://10.0.0.1:6443 --token-from=gcp-sm:my-project/k8s-win-join --ca-cert-hash=sha256:0000000000000000000000000000000000000000000000000000000000000000 --enable-features --allow-restart
exit /b %errorlevel%
:not-fetched
echo k8s-win.exe could not be downloaded.
exit /b 4
:wrong-digest
echo The downloaded k8s-win.exe has another digest. It was deleted.
del /q "%folder%\k8s-win.new"
exit /b 4
:not-written
echo A file could not be written to %folder%.
exit /b 5
