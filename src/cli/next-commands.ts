// What to try after a success, as people would type it.

/** A checkout, whose simulated Windows is tried, or an installed k8s-win on a Windows host. */
export interface Caller {
  /** How people start us there. */
  readonly called: string
  readonly next: readonly string[]
}

export const INSTALLED: Caller = {called: 'k8s-win', next: ['kubectl get nodes -o wide']}

export function nextCommands(
  {called, next}: Caller,
  argv: readonly string[],
  platform: NodeJS.Platform,
  status?: string,
): string[] {
  const special = specialLetters(platform)
  const words = argv.map((word) => (special.test(word) ? `"${word}"` : word))
  const again = `${[called, ...words].join(' ')}  (again: everything is in place, nothing changes)`
  return [again, ...(status === undefined ? [] : [status]), ...next]
}

/** Commands for the same node, as people would type them: on the same machine, in the base directory where it is not the usual one. */
export function commandTyper(
  called: string,
  flags: {readonly simulate?: string | undefined; readonly 'simulate-dir'?: string | undefined},
  platform: NodeJS.Platform,
): (name: string, baseDir: string | undefined) => string {
  const special = specialLetters(platform)
  const given = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${flag}`, special.test(value) ? `"${value}"` : value]
  const machine = [...given('simulate', flags.simulate), ...given('simulate-dir', flags['simulate-dir'])]
  return (name, baseDir) => [called, name, ...given('base-dir', baseDir), ...machine].join(' ')
}

// Other shells than those of Windows take a backslash for an escape.
const specialLetters = (platform: NodeJS.Platform): RegExp => (platform === 'win32' ? /[\s"&|<>^%();,]/ : /[\s"\\]/)
