// Launchers by their published rules: what each does with an exit code. None knows k8s-win.

export interface Emulator {
  /** What it reports to its user in the end. */
  readonly belief: 'done' | 'failed'
  /** Restarts of Windows that it made. */
  readonly restarts: number
  readonly runs: number
}

/** Runs the command once, and returns its exit code. */
export type Command = () => Promise<number>
export type Restart = () => void

export type Emulate = (command: Command, restart: Restart) => Promise<Emulator>

/** Runs that no test needs: one that gets here has found a loop. */
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
  throw new Error('cloudbase-init runs the command again and again')
}

/** 0 is success, 3010 restarts Windows and runs the command again up to `most` times; every other number is a failure. */
const restartingFor3010 =
  (most: number): Emulate =>
  async (command, restart) => {
    for (let restarts = 0; ; restarts++) {
      const code = await command()
      if (code !== 3010 || restarts === most) {
        return {belief: code === 0 ? 'done' : 'failed', restarts, runs: restarts + 1}
      }
      restart()
    }
  }

/**
 * EC2Launch v2, task executeScript (docs.aws.amazon.com, "Configure EC2Launch v2 settings for Windows instances", section
 * "EC2Launch v2 exit codes and reboots").
 */
export const ec2launch = restartingFor3010(5)

/**
 * The SSM agent (agent/appconfig/constants_windows.go, RebootExitCode). It does not continue a document that it continued
 * 15 times (agent/framework/processor/processor.go, CommandRetryLimit), which then gets no result before its time is over.
 */
export const ssm = restartingFor3010(15)

const once: Emulate = async (command) => ({belief: (await command()) === 0 ? 'done' : 'failed', restarts: 0, runs: 1})

/** EC2Launch v1 runs user data once, as a scheduled task, and reads no exit code: what it logs is its result. */
export const ec2launchV1 = once

/** Azure's custom script extension: one run, 0 is success, everything else a failure (learn.microsoft.com, custom-script-windows). */
export const azureCse = once
