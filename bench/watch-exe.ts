// What the service k8s-win of a lab node costs while nothing happens: k8s-win.exe under shawl, beside its own node.exe that only
// waits. Prints figures, has no limits: calls of Windows cost more in Wine, where a process of Linux answers them.
import {fetchPackage, fileOf, NODE_FOR_WINDOWS} from '../packaging/npm-packages.js'
import {buildRelease, FILE_NAMES} from '../packaging/release.js'
import {type LabMachine, openLab} from '../test/lab/lab.js'
import {pageAligned} from '../test/lab/layers/page-aligned.js'
import {startLabNode} from '../test/lab/node/lab-node.js'
import {labExe} from '../test/lab/packaging/lab-exe.js'

const SECONDS = Number(process.argv[2] ?? 120)
const WARM_UP_SECONDS = 30
const TICKS_PER_SECOND = 100
const [EXE, NODE] = ['C:\\lab\\k8s-win.exe', 'C:\\lab\\bare-node.exe']

interface Usage {
  readonly megabytes: number
  readonly share: number
}

/** Before and after: the ticks of the processor (utime and stime, the 14th and 15th field), and resident memory. */
const MEASURE = `
  for one in /proc/[0-9]*; do tr '\\0' ' ' <$one/cmdline 2>/dev/null | grep -q "^C:[^ ]*$0" && found=$one; done
  ticks() { set -- $(sed 's/.*) //' $found/stat); echo $((\${12} + \${13})); }
  sleep ${WARM_UP_SECONDS}; ticks; sleep "$1"; ticks; sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\) kB/\\1/p' $found/status`

async function measure(machine: LabMachine, program: string): Promise<Usage> {
  const timeoutMs = (SECONDS + WARM_UP_SECONDS + 30) * 1000
  const {stderr, stdout} = await machine.linux(['sh', '-c', MEASURE, program, String(SECONDS)], timeoutMs)
  const [before = 0, after = 0, kilobytes = 0] = stdout.split('\n').map(Number)
  if (kilobytes === 0) throw new Error(`${program} does not run: ${stderr}`)
  return {megabytes: (kilobytes * 1024) / 1e6, share: (after - before) / TICKS_PER_SECOND / SECONDS}
}

const exe = (await buildRelease()).get(FILE_NAMES.exe)!
const lab = await openLab()
try {
  const node = await startLabNode(lab, {cli: {args: [], program: EXE}, isDetachable: true})
  const {machine} = node
  await machine.write(EXE, labExe(exe))
  await machine.write(NODE, pageAligned(fileOf(await fetchPackage(NODE_FOR_WINDOWS), 'bin/node.exe')))
  const {code, stderr} = await node.setup(['--base-dir', 'c:\\k', '--json'])
  if (code !== 0) throw new Error(stderr)
  const timeoutMs = (SECONDS + WARM_UP_SECONDS) * 2000
  const bare = await machine.start({args: ['-e', 'setInterval(() => {}, 2000)'], program: NODE, timeoutMs})
  const [empty, watch] = await Promise.all([
    measure(machine, '[b]are-node.exe -e'),
    measure(machine, 'bin.k8s-win.exe [r]un-watch'),
  ])
  for (const [name, {megabytes, share}] of [
    ['node.exe that waits', empty],
    ['the service k8s-win', watch],
  ] as const) {
    const ratio = (megabytes / empty.megabytes).toFixed(2)
    console.log(
      `${name}: ${(share * 100).toFixed(2)} % of one core, ${megabytes.toFixed(0)} MB (x${ratio}), ${SECONDS} s`,
    )
  }
  console.log(await machine.read('C:\\k\\k8s-win\\health.json'))
  await bare.kill()
} finally {
  await lab.close()
}
