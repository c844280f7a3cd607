// npm run test:windows. On Linux: the lab, the Windows suites in it, then the suites on the Linux side. On Windows: the suites.
import {suiteNames} from './bundle-suites.js'
import {runOnLinux} from './run-on-linux.js'
import {runOnWindows} from './run-on-windows.js'
import {testWindows} from './test-windows.js'

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal))

const code = await testWindows({
  argv: process.argv.slice(2),
  complain: (text) => process.stderr.write(text),
  interrupted: interrupted.signal,
  run: process.platform === 'win32' ? runOnWindows : runOnLinux,
  say: (line) => process.stdout.write(`${line}\n`),
  suites: await suiteNames(),
})
// What is still under way, a build of the lab above all, dies with this process.
if (interrupted.signal.aborted) process.exit(code)
process.exitCode = code
