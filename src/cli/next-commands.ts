// What to try after a success, as people would type it.

/** A checkout, whose simulated Windows is tried, or an installed k8s-win on a Windows host. */
export interface Caller {
  /** How people start us there. */
  readonly called: string
  readonly next: readonly string[]
}

export const INSTALLED: Caller = {called: 'k8s-win', next: ['kubectl get nodes -o wide']}

export function nextCommands({called, next}: Caller, argv: readonly string[], platform: NodeJS.Platform): string[] {
  // Other shells than those of Windows take a backslash for an escape.
  const special = platform === 'win32' ? /[\s"&|<>^%();,]/ : /[\s"\\]/
  const words = argv.map((word) => (special.test(word) ? `"${word}"` : word))
  return [`${[called, ...words].join(' ')}  (again: everything is in place, nothing changes)`, ...next]
}
