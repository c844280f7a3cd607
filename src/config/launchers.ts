// The programs that start k8s-win on hosts without a person at the console. Each reads an exit code in its own way.

export const LAUNCHERS = ['none', 'cloudbase-init', 'ec2launch', 'ec2launch-v1', 'ssm', 'azure-cse'] as const

/** `none`: a console, a remote session or a script, which reads the exit codes that docs/operations.md lists. */
export type Launcher = (typeof LAUNCHERS)[number]

/** Of the option, in every command that has it. */
export const LAUNCHER_SUMMARY = `Program that starts this run and reads its exit code: ${LAUNCHERS.join(', ')}. EC2Launch v1 cannot be detected.`
