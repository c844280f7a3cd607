// What commands end with, for their help and the README's table.

export const EXIT_CODES: readonly (readonly [code: number, when: string])[] = [
  [0, 'done, nothing to do, or (dry run) planned'],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'wrong command line or configuration; the host was not looked at'],
  [3, 'the host or the cluster does not qualify; all reasons are told at once, nothing was changed'],
  [4, 'a download, a digest, an archive or an image failed; nothing of it is installed'],
  [5, 'an operation on Windows failed'],
  [6, 'not healthy in time: a service, the overlay network, the node; or --timeout passed'],
  [7, 'reset: not everything could be removed; what is left is listed'],
  [8, 'status: degraded, or something could not be looked at'],
  [9, 'status, logs: there is no node in this base directory'],
  [11, 'another run holds the lock'],
  [130, 'interrupted; run the same command again to resume'],
]
/** Of other commands. */
const NOT_OF_SETUP = [7, 8, 9]

/** One code a line. */
export const exitCodeLines = (): string =>
  EXIT_CODES.filter(([code]) => !NOT_OF_SETUP.includes(code))
    .map(([code, when]) => `${code}: ${when}`)
    .join('\n')

const RESET_EXIT_CODES: readonly (readonly [code: number, when: string])[] = [
  [0, 'done, nothing to do, (dry run) planned, or the question was answered with no'],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'wrong command line; or the journal is lost, nobody can be asked, and there is no --yes'],
  [
    3,
    'this is no Windows, you are not administrator, or (--drain) the cluster cannot be asked or does not allow it; nothing on the host was changed',
  ],
  [5, 'an operation on Windows failed'],
  [6, 'the pods did not leave in time (--drain), or --timeout passed'],
  [7, 'not everything could be removed; what is left is listed'],
  [11, 'another run holds the lock'],
  [130, 'interrupted; run the same command again to resume'],
]

export const resetExitCodeLines = (): string => RESET_EXIT_CODES.map(([code, when]) => `${code}: ${when}`).join('\n')
