// What the service manager does when a service's process is killed; the service is shawl, which comes with the product.
import {win32 as windowsPath} from 'node:path'
import {joinCommandLine} from '../../../../src/host/command-line.js'
import {isWin32} from '../../../../src/host/services/stop.js'
import {openServices} from '../../../../src/host/services/services.js'
import {waitFor} from '../../../../src/host/wait.js'
import {changing, compared, notSettled, type Settler, type SettlerContext, type Verdict} from './settler.js'

const NAME = 'k8s-win-lab-killed'
const TASKKILL = String.raw`C:\Windows\System32\taskkill.exe`
const NOT_ACTIVE = 1062
const DELAY_MS = 2000
const PATIENCE = {deadlineMs: 8000, everyMs: 100}

interface Failure {
  readonly runsAgain: boolean
  /** What a request to stop was answered with, once it had failed. */
  readonly refusal: number | undefined
}

export const restartPending: Settler = changing((context) =>
  afterFailure(context, ({refusal, runsAgain}) => {
    const seen = `answers ${refusal ?? 'nothing'}, ${runsAgain ? 'runs again' : 'does not run again'}`
    return compared(refusal === NOT_ACTIVE && runsAgain, seen, 'answers 1062, runs again')
  }),
)

async function afterFailure(
  {machine, scratch, shawl, silentProgram}: SettlerContext,
  judge: (failure: Failure) => Verdict,
): Promise<Verdict> {
  const {clock, files, run, win32} = machine
  const {signal} = new AbortController()
  const services = openServices(win32, clock)
  const program = windowsPath.join(scratch, 'shawl.exe')
  await files.write(program, await shawl())
  await services.remove(NAME, signal)
  await win32.createService(NAME, {
    account: 'LocalSystem',
    dependencies: [],
    description: 'A trial of the k8s-win lab. It may be deleted.',
    displayName: NAME,
    failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [DELAY_MS]},
    failureFlag: true,
    imagePath: joinCommandLine([
      program,
      'run',
      '--name',
      NAME,
      '--log-dir',
      scratch,
      '--restart',
      '--',
      ...silentProgram.command,
    ]),
    startType: 'demand',
  })
  const inState = (state: string) =>
    waitFor(clock, PATIENCE, async () => {
      const status = await win32.queryServiceStatus(NAME)
      return status?.state === state ? status : undefined
    })

  try {
    await win32.startService(NAME)
    const first = await inState('running')
    if (!first) return notSettled('shawl does not come to run as a service')
    // With what it started, which would be no one's otherwise.
    await run(TASKKILL, ['/T', '/F', '/PID', String(first.processId)], {deadlineMs: 30_000, effect: 'change'})
    const killed = await inState('stopped')
    const refusal = await win32.stopService(NAME).then(
      () => undefined,
      (error: unknown) => (isWin32(error, NOT_ACTIVE) ? error.code : undefined),
    )
    const again = killed && (await inState('running'))
    return judge({refusal, runsAgain: again !== undefined})
  } finally {
    await services.remove(NAME, signal)
  }
}
