@echo off
rem Installs k8s-win only with the digest that was given, and the feature Containers, which needs the restart that follows.
set "errorlevel="
set "folder=%ProgramFiles%\k8s-win"
if not exist "%folder%" mkdir "%folder%"
"%SystemRoot%\System32\curl.exe" --disable --fail --silent --show-error --location --proto "=https" --retry 8 --output "%folder%\k8s-win.new" "%URL%"
if not %errorlevel%==0 exit /b 4
"%SystemRoot%\System32\certutil.exe" -hashfile "%folder%\k8s-win.new" SHA256 | "%SystemRoot%\System32\findstr.exe" /l /x /i "%DIGEST%" >nul
if not %errorlevel%==0 exit /b 4
move /y "%folder%\k8s-win.new" "%folder%\k8s-win.exe" >nul
if not %errorlevel%==0 exit /b 5
"%SystemRoot%\System32\dism.exe" /Online /Enable-Feature /FeatureName:Containers /All /NoRestart
if %errorlevel%==3010 exit /b 0
exit /b %errorlevel%
