// What commands end with, for their help and the README's table.

export const EXIT_CODES: readonly (readonly [code: number, when: string])[] = [
  [0, 'success: done, nothing to do, or (dry run) planned'],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'invalid command line or configuration; the host was not checked'],
  [3, 'a preflight check failed; all reasons are reported, nothing was changed'],
  [4, 'a download, a digest, an archive or an image failed; nothing was installed from it'],
  [5, 'an operation on Windows failed'],
  [6, 'not healthy in time: a service, the overlay network, the node; or --timeout expired'],
  [7, 'reset: not everything could be removed; what is left is listed'],
  [8, 'status: degraded, or something could not be checked'],
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
  [0, 'done, nothing to do, (dry run) planned, or cancelled at the prompt'],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'invalid command line; or the journal is lost, and there is neither a terminal to prompt on nor --yes'],
  [
    3,
    'not Windows, not an administrator, or (--drain) the cluster does not respond or does not allow it; nothing on the host was changed',
  ],
  [5, 'an operation on Windows failed'],
  [6, 'the pods were not evicted in time (--drain), or --timeout expired'],
  [7, 'not everything could be removed; what is left is listed'],
  [11, 'another run holds the lock'],
  [130, 'interrupted; run the same command again to resume'],
]

export const resetExitCodeLines = (): string => RESET_EXIT_CODES.map(([code, when]) => `${code}: ${when}`).join('\n')
