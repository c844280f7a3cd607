// What k8s-win.exe obeys of its environment. It runs elevated, with variables that an ordinary user may have set, and Node.js
// reads many that name files to load, run, write or trust (NODE_COMPILE_CACHE, OPENSSL_CONF, NODE_EXTRA_CA_CERTS, ...). Every
// name that node.exe passes to a function that reads the environment becomes empty in its bytes, as the fuse is changed
// there, unless it is in KEPT. No variable has an empty name: GetEnvironmentVariableW does not find one (EmptyVariableReturnsNull in
// the tests of dotnet/runtime), and the C library leaves out entries that begin with "=" (UCRT, initialize_environment).
import {type NameReference, namesReferred} from './pe-references.js'

/** What Node.js itself may still read. What k8s-win reads is in its own JavaScript, which is not changed here. */
export const KEPT: ReadonlySet<string> = new Set([
  // How a terminal shows text.
  ...['CI_NAME', 'COLORTERM', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'NO_COLOR', 'TEAMCITY_VERSION', 'TERM'],
  ...['TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TMUX'],
  // The zone in which times are shown.
  'TZ',
  // Folders of Windows and of the account. k8s-win starts programs by their absolute paths and without a shell, loads no
  // module from a file, and asks for no folder for temporary files.
  ...['PATH', 'SystemRoot', 'TEMP', 'TMP', 'USERPROFILE', 'comspec', 'windir'],
])

/**
 * One variable for each function of node.exe that reads the environment: SafeGetenv of Node.js, those of libuv and OpenSSL,
 * that of the C library, and both of Windows. Whatever is called with one of these names is such a function.
 */
export const READ_DIRECTLY = [
  'NODE_DEBUG_NATIVE',
  'UV_THREADPOOL_SIZE',
  'OPENSSL_MODULES',
  'CARES_HOSTS',
  'OPENSSL_WIN32_UTF8',
  'NODE_SKIP_PLATFORM_CHECK',
]

/** Names that reach such a function by a variable, so that no call shows them: found in the sources of Node.js 24. */
export const PASSED_ON = [
  // src/node_options.cc, HandleEnvOptions
  ...['NODE_PENDING_DEPRECATION', 'NODE_PRESERVE_SYMLINKS', 'NODE_PRESERVE_SYMLINKS_MAIN', 'NODE_REDIRECT_WARNINGS'],
  ...['NODE_USE_ENV_PROXY', 'NODE_USE_SYSTEM_CA'],
  // src/inspector_profiler.cc
  'NODE_V8_COVERAGE',
  // OpenSSL: crypto/x509/x509_def.c, crypto/http/http_lib.c
  ...['SSL_CERT_DIR', 'SSL_CERT_FILE', 'HTTP_PROXY', 'http_proxy'],
]

/** How Node.js's own JavaScript, whose text is in node.exe, names a variable. */
const IN_JAVASCRIPT = /\bprocess\.env\.(\w+)|\benv\.([A-Z][\dA-Z_]+)\b|\bsafeGetenv\('(\w+)'\)|process\.env, '(\w+)'/g

/** Changes the program. Returns the names that it does not read any more, sorted. */
export function ignoreVariables(program: Buffer): string[] {
  const references = [...namesReferred(program)]
  const isIgnored = (name: string): boolean => !KEPT.has(name)
  const ignored = new Set([...namesPassed(references), ...PASSED_ON, ...namesInJavaScript(program)].filter(isIgnored))
  const unknown = PASSED_ON.filter((name) => !references.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`node.exe does not name ${unknown.join(', ')}`)
  for (const {at, name, width} of references) if (ignored.has(name)) program.fill(0, at, at + width)
  ignoreInJavaScript(program, ignored)
  return [...ignored].sort()
}

function namesPassed(references: readonly NameReference[]): string[] {
  const readers = READ_DIRECTLY.map((name) => {
    const callees = references.flatMap((one) => (one.name === name ? (one.callee ?? []) : []))
    if (callees.length === 0) throw new Error(`node.exe passes ${name} to no function`)
    return callees
  }).flat()
  return references.flatMap(({callee, name}) => (callee !== undefined && readers.includes(callee) ? [name] : []))
}

function namesInJavaScript(program: Buffer): string[] {
  const names: string[] = []
  for (const [, ...groups] of program.toString('latin1').matchAll(IN_JAVASCRIPT)) names.push(...groups.filter(Boolean))
  if (names.length === 0) throw new Error('node.exe has no JavaScript that reads variables')
  return names
}

/**
 * The text of a module keeps its length, because V8 accepts the module's compiled form by that, and positions stay true. In
 * the compiled forms (the snapshot and the code cache) a name is its length in four bytes and its letters.
 */
function ignoreInJavaScript(program: Buffer, names: ReadonlySet<string>): void {
  for (const name of names) {
    for (const at of placesOf(program, name)) {
      const before = program.toString('latin1', at - 'env.'.length, at)
      const after = program.toString('latin1', at + name.length, at + name.length + 1)
      if (before === 'env.' && !/\w/.test(after)) program.write("['']".padEnd(name.length + 1), at - 1, 'latin1')
      else if ((before.endsWith("'") && after === "'") || program.readUInt32LE(at - 4) === name.length) program[at] = 0
    }
  }
}

function* placesOf(program: Buffer, text: string): Generator<number> {
  for (let at = program.indexOf(text); at !== -1; at = program.indexOf(text, at + 1)) yield at
}
