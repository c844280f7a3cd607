// The batch script of userdata: it fetches k8s-win.exe where the one that is there has another digest, and runs setup.
//
// Its lines are of these kinds only, so that the rehearsal can follow them: @echo off; setlocal with its two words;
// set "name=value"; if [not] exist "x" <command>; if [not] %errorlevel%==N <command>; goto label; :label;
// exit /b N or %errorlevel%; mkdir "x"; move /y "a" "b" >nul; del /q "x"; echo text; >"x" echo text; >>"x" echo text;
// and programs by their quoted absolute path, with at most one | into findstr.exe, and >nul.

export interface ScriptFile {
  readonly content: Uint8Array
  /** In the folder of the program. */
  readonly name: string
}

export interface ScriptInput {
  /** Of k8s-win.exe: sha256, in hexadecimal digits. */
  readonly digest: string
  readonly files: readonly ScriptFile[]
  /** What the launcher gets where k8s-win.exe could not be downloaded. */
  readonly notFetched: 4 | 1002
  /** cloudbase-init takes 1002 for done below runcmd of a cloud-config: only 1003 runs the script again. */
  readonly retryIsRestart: boolean
  readonly token?: string | undefined
  /** Of k8s-win.exe, as batchWord of quote.ts writes it. */
  readonly url: string
  /** What follows "setup", each as batchWord writes it. */
  readonly words: readonly string[]
}

const SYSTEM = String.raw`%SystemRoot%\System32`
const CERTUTIL = `"${SYSTEM}\\certutil.exe"`
/**
 * Options that curl 7.55.1 has, the one of Windows Server 2019. --disable is first, or a _curlrc would be read; --globoff, or
 * [ ] and { } in the address were patterns; --ssl-no-revoke, or it failed wherever the lists of revoked certificates cannot be
 * reached (curl#4078), and the digest proves the content.
 */
const CURL = `"${SYSTEM}\\curl.exe" --disable --fail --silent --show-error --globoff --location --proto "=https" --ssl-no-revoke --retry 8 --retry-delay 10 --retry-connrefused --retry-max-time 1200 --connect-timeout 30 --max-time 900`

/** As much as is certain to fit on a line, which cmd.exe cuts at 8191. */
const BASE64_CHARACTERS = 1024

/** Its lines; each ends with CR and LF where it is written: cmd.exe does not find every label in a file with LF alone. */
export function scriptLines(input: ScriptInput): string[] {
  const {digest, files, notFetched, retryIsRestart, token, url, words} = input
  const fetch = String.raw`${CURL} --output "%folder%\k8s-win.new" ${url}`
  return [
    '@echo off',
    // Whatever the host has set as its default, "!" is a letter.
    'setlocal enableextensions disabledelayedexpansion',
    // A variable of that name would hide the exit codes. A program that Windows ends has one below 0 (NTSTATUS), which "if
    // errorlevel 1" does not see.
    'set "errorlevel="',
    String.raw`set "folder=%ProgramFiles%\k8s-win"`,
    String.raw`set "program=%folder%\k8s-win.exe"`,
    'if not exist "%folder%" mkdir "%folder%"',
    ...files.flatMap(fileLines),
    hasDigest('%program%', digest),
    'if %errorlevel%==0 goto run',
    fetch,
    // --retry repeats no connection that was lost.
    `if not %errorlevel%==0 ${fetch}`,
    'if not %errorlevel%==0 goto not-fetched',
    hasDigest(String.raw`%folder%\k8s-win.new`, digest),
    'if not %errorlevel%==0 goto wrong-digest',
    // Windows does not overwrite or delete a program that runs, but renames it.
    String.raw`if exist "%folder%\k8s-win.old" del /q "%folder%\k8s-win.old"`,
    String.raw`if exist "%program%" move /y "%program%" "%folder%\k8s-win.old" >nul`,
    String.raw`move /y "%folder%\k8s-win.new" "%program%" >nul`,
    // What is run is what is proven, also where the launcher runs the script twice at once.
    hasDigest('%program%', digest),
    'if not %errorlevel%==0 goto not-written',
    ':run',
    ...(token === undefined ? [] : [`set "K8S_WIN_TOKEN=${token}"`]),
    ['"%program%" setup', ...words].join(' '),
    ...(retryIsRestart ? ['if %errorlevel%==1002 exit /b 1003'] : []),
    'exit /b %errorlevel%',
    ':not-fetched',
    'echo k8s-win.exe could not be downloaded.',
    `exit /b ${notFetched}`,
    ':wrong-digest',
    'echo The downloaded k8s-win.exe has another digest. It was deleted.',
    String.raw`del /q "%folder%\k8s-win.new"`,
    'exit /b 4',
    ':not-written',
    'echo A file could not be written to %folder%.',
    'exit /b 5',
  ]
}

/** certutil prints the digest on a line of its own; its other lines are in the language of Windows. */
const hasDigest = (path: string, digest: string): string =>
  `${CERTUTIL} -hashfile "${path}" SHA256 | "${SYSTEM}\\findstr.exe" /l /x /i "${digest}" >nul`

function fileLines({content, name}: ScriptFile): string[] {
  const [encoded, decoded] = [`"%folder%\\${name}.b64"`, `"%folder%\\${name}"`]
  const pieces =
    Buffer.from(content)
      .toString('base64')
      .match(new RegExp(`.{1,${BASE64_CHARACTERS}}`, 'g')) ?? []
  return [
    ...pieces.map((piece, index) => `${index === 0 ? '>' : '>>'}${encoded} echo ${piece}`),
    `${CERTUTIL} -f -decode ${encoded} ${decoded} >nul`,
    // certutil ends with an HRESULT, which is below 0.
    'if not %errorlevel%==0 goto not-written',
    `del /q ${encoded}`,
  ]
}
