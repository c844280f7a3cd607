// What setup ends with, for its help and the README's table.

export const EXIT_CODES: readonly (readonly [code: number, when: string])[] = [
  [0, 'done, nothing to do, or (dry run) planned'],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'wrong command line or configuration; the host was not looked at'],
  [3, 'the host or the cluster does not qualify; all reasons are told at once, nothing was changed'],
  [4, 'a download, a digest, an archive or an image failed; nothing of it is installed'],
  [5, 'an operation on Windows failed'],
  [6, 'not healthy in time: a service, the overlay network, the node; or --timeout passed'],
  [11, 'another run holds the lock'],
  [130, 'interrupted; run the same command again to go on'],
]

/** One code a line. */
export const exitCodeLines = (): string => EXIT_CODES.map(([code, when]) => `${code}: ${when}`).join('\n')
