// Launchers by their published rules: what each makes of an exit code. None knows anything of k8s-win.

export interface Emulator {
  /** What it reports to whoever uses it, when it is through. */
  readonly belief: 'done' | 'failed'
  /** Restarts of Windows that it made. */
  readonly restarts: number
  readonly runs: number
}

/** Runs the command once, and returns its exit code. */
export type Command = () => Promise<number>
export type Restart = () => void

export type Emulate = (command: Command, restart: Restart) => Promise<Emulator>

/** No emulator goes on for ever: a test that gets here has found a loop. */
const MANY = 30

/**
 * cloudbaseinit/plugins/common/execcmd.py, get_plugin_return_value: from 1001 to 1003 bit 0 restarts and bit 1 runs the plugin
 * again at the next start; every other number is PLUGIN_EXECUTION_DONE. It knows no failure. A next start comes by itself.
 */
export const cloudbaseInit: Emulate = async (command, restart) => {
  let restarts = 0
  for (let runs = 1; runs <= MANY; runs++) {
    const code = await command()
    const isOwn = code >= 1001 && code <= 1003
    if (isOwn && (code & 1) !== 0) {
      restarts++
      restart()
    }
    if (!isOwn || (code & 2) === 0) return {belief: 'done', restarts, runs}
  }
  throw new Error('cloudbase-init runs the command for ever')
}

/**
 * EC2Launch v2, task executeScript (docs.aws.amazon.com, "EC2Launch v2 exit codes and reboots"): 3010 restarts Windows and
 * runs the script again, at most 5 times; 0 is success, every other number a failure.
 */
export const ec2launch: Emulate = async (command, restart) => {
  let restarts = 0
  for (;;) {
    const code = await command()
    if (code !== 3010) return {belief: code === 0 ? 'done' : 'failed', restarts, runs: restarts + 1}
    if (restarts === 5) return {belief: 'failed', restarts, runs: restarts + 1}
    restarts++
    restart()
  }
}

/** EC2Launch v1 runs user data once, as a scheduled task, and reads no exit code: what it logs is its result. */
export const ec2launchV1: Emulate = async (command) => {
  const code = await command()
  return {belief: code === 0 ? 'done' : 'failed', restarts: 0, runs: 1}
}

/** The SSM agent (agent/appconfig, RebootExitCode): 3010 restarts Windows and runs the document again, as often as it comes. */
export const ssm: Emulate = async (command, restart) => {
  for (let restarts = 0; restarts <= MANY; restarts++) {
    const code = await command()
    if (code !== 3010) return {belief: code === 0 ? 'done' : 'failed', restarts, runs: restarts + 1}
    restart()
  }
  throw new Error('the SSM agent restarts Windows for ever')
}

/** Azure's custom script extension: one run, 0 is success, everything else a failure (learn.microsoft.com, custom-script-windows). */
export const azureCse: Emulate = async (command) => {
  const code = await command()
  return {belief: code === 0 ? 'done' : 'failed', restarts: 0, runs: 1}
}
