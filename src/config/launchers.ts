// The programs that start k8s-win on hosts without a person at the console. Each reads an exit code in its own way.

export const LAUNCHERS = ['none', 'cloudbase-init', 'ec2launch', 'ec2launch-v1', 'ssm', 'azure-cse'] as const

/** `none`: a console, a remote session or a script, which reads the exit codes that docs/exit-codes.md lists. */
export type Launcher = (typeof LAUNCHERS)[number]

/** The help of --launcher, in every command that has it. */
export const LAUNCHER_SUMMARY = `Program that starts this run and reads its exit code: ${LAUNCHERS.join(', ')}. EC2Launch v1 cannot be detected.`

/**
 * cloudbaseinit/plugins/common/execcmd.py: from 1001 to 1003, bit 0 restarts Windows and bit 1 runs the script again at the
 * next start; every other number, 0 and 1 alike, is "done". Below runcmd of a cloud-config only the restart bit counts
 * (cloudconfigplugins/runcmd.py).
 */
export const CLOUDBASE_AGAIN = 1002
export const CLOUDBASE_RESTART = 1003
/**
 * Restart Windows and run the script again: EC2Launch v2 (docs.aws.amazon.com, "Configure EC2Launch v2 settings for Windows
 * instances", section "EC2Launch v2 exit codes and reboots": until another exit code, at most 5 restarts per task; a restart
 * by other means leaves the task in an inconsistent state), and appconfig.RebootExitCode of the SSM agent.
 */
export const AWS_RESTART = 3010
