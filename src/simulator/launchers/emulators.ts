// Launchers by their published rules: what each does with an exit code. None knows k8s-win.

/** What a launcher does after a run. `unfinished`: it runs the script again at the next start of Windows. */
export interface Reaction {
  readonly belief: 'done' | 'failed' | 'unfinished'
  readonly restarts: boolean
}

export interface Emulator {
  /** `restarts`: how often it has restarted Windows for this script. */
  readonly react: (code: number, restarts: number) => Reaction
  /** It runs the script at every start of Windows, whatever became of it. */
  readonly everyStart?: true
}

const DONE: Reaction = {belief: 'done', restarts: false}
const FAILED: Reaction = {belief: 'failed', restarts: false}
const RESTART: Reaction = {belief: 'unfinished', restarts: true}

/**
 * cloudbaseinit/plugins/common/execcmd.py, get_plugin_return_value: from 1001 to 1003 bit 0 restarts and bit 1 runs the plugin
 * again at the next start; every other number is PLUGIN_EXECUTION_DONE. It knows no failure. A next start comes by itself.
 */
export const cloudbaseInit: Emulator = {
  react(code) {
    const isOwn = code >= 1001 && code <= 1003
    if (!isOwn) return DONE
    return {belief: (code & 2) === 0 ? 'done' : 'unfinished', restarts: (code & 1) !== 0}
  },
}

/**
 * runcmd of a cloud-config below cloudbase-init: cloudconfigplugins/runcmd.py keeps only whether a restart is requested, and
 * cloudconfig.py makes RET_END (1003) of every request. So 1001 runs the script again, and 1002 is lost.
 */
export const cloudConfig: Emulator = {
  react: (code, restarts) => (cloudbaseInit.react(code, restarts).restarts ? RESTART : DONE),
}

const once: Emulator = {react: (code) => (code === 0 ? DONE : FAILED)}

/**
 * EC2Launch v2, task executeScript (docs.aws.amazon.com, "Configure EC2Launch v2 settings for Windows instances", section
 * "EC2Launch v2 exit codes and reboots"): 3010 restarts Windows and runs the script again, up to five times.
 */
export const ec2launch: Emulator = {
  react: (code, restarts) => (code === 3010 && restarts < 5 ? RESTART : once.react(code, restarts)),
}

/** EC2Launch v1 runs user data once, as a scheduled task, and reads no exit code: what it logs is its result. */
export const ec2launchV1 = once

/** Azure's custom script extension: one run, 0 is success, everything else a failure (learn.microsoft.com, custom-script-windows). */
export const azureCse = once

/** GoogleCloudPlatform/guest-agent, google_metadata_script_runner/main.go: at every start; the exit code is only logged. */
export const gce: Emulator = {everyStart: true, react: once.react}
