// The service that a detached run, or one that waits for a restart of Windows, continues as. It starts with Windows until the
// run has ended: then the run itself deletes it. Not a scheduled task: the service manager also shows whether it runs.
import {STOP_TIMEOUT} from '../../components/shawl.js'
import {OWNERSHIP_MARK, type ServiceSpec} from '../../host/services/services.js'
import {
  ERROR_SERVICE_DOES_NOT_EXIST,
  ERROR_SERVICE_MARKED_FOR_DELETE,
  isWin32,
  tolerating,
} from '../../host/services/stop.js'
import type {Machine} from '../../machine/machine.js'
import type {ServiceConfig} from '../../machine/win32.js'

export const RUN_SERVICE = 'k8s-win-run'
/** The hidden command that reads the request. */
export const RUN_COMMAND = 'run-detached'

export const ERROR_SHUTDOWN_IN_PROGRESS = 1115

/** `program`: what starts k8s-win. */
export function runService(shawl: string, program: readonly string[], baseDir: string): ServiceSpec {
  const own = [...program, RUN_COMMAND, `--base-dir=${baseDir}`]
  // Restarted by neither of the two: what failed is reported, and not tried again for ever.
  const options = ['--name', RUN_SERVICE, '--no-restart', '--no-log', ...STOP_TIMEOUT]
  return {
    command: [shawl, 'run', ...options, '--', ...own],
    description: 'Continues a run of k8s-win, and removes itself.',
    environment: {},
    isTransient: true,
    name: RUN_SERVICE,
  }
}

/** Does the run continue as the service just now? */
export async function isServiceActive({win32: calls}: Pick<Machine, 'win32'>): Promise<boolean> {
  try {
    const status = await calls.queryServiceStatus(RUN_SERVICE)
    return status !== undefined && status.state !== 'stopped'
  } catch (error) {
    // Only what runs as a service is asked to end while Windows is being shut down.
    if (isWin32(error, ERROR_SHUTDOWN_IN_PROGRESS)) return true
    throw error
  }
}

/** Its last argument is the base directory, which is quoted where it has spaces. */
export const isServiceOf = ({description, imagePath}: ServiceConfig, baseDir: string): boolean =>
  description.includes(OWNERSHIP_MARK) &&
  imagePath.replace(/"$/, '').toLowerCase().endsWith(`--base-dir=${baseDir.toLowerCase()}`)

/** Not stopped before: it may be what runs this. Windows removes it when its process has ended. */
export async function deleteRunService({win32: calls}: Pick<Machine, 'win32'>, baseDir: string): Promise<void> {
  const config = await calls.queryServiceConfig(RUN_SERVICE)
  if (!config || !isServiceOf(config, baseDir)) return
  await tolerating([ERROR_SERVICE_DOES_NOT_EXIST, ERROR_SERVICE_MARKED_FOR_DELETE], () =>
    calls.deleteService(RUN_SERVICE),
  )
}
