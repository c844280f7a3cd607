// What commands end with, for their help and the table in docs/exit-codes.md.

export const EXIT_CODES: readonly (readonly [code: number, when: string])[] = [
  [
    0,
    'success: done, nothing to do, (dry run) planned, (--detach) continued as a service, or (reset) cancelled at the prompt',
  ],
  [1, 'a bug in k8s-win; the stack is in the log'],
  [2, 'invalid command line or configuration; the host was not checked'],
  [3, 'a preflight check failed; all reasons are reported, nothing was changed'],
  [4, 'a download, a digest, an archive or an image failed; nothing was installed from it'],
  [
    5,
    'an operation on Windows failed; setup: Windows was restarted 3 times, and must be again; attach: no result was found',
  ],
  [6, 'not healthy in time: a service, the overlay network, the node; or --timeout expired'],
  [7, 'reset: not everything could be removed; upgrade: the old release could not be restored; what is left is listed'],
  [8, 'status: degraded, or something could not be checked; verify: something could not be checked'],
  [
    9,
    'status, logs, pause, recover, resume, run, stop, start, restart, upgrade, verify: there is no node in this base directory; report: no run has left a result there; attach: no run is active',
  ],
  [10, 'Windows must be restarted; restart it, then run the same command again'],
  [11, 'another run holds the lock'],
  [130, 'interrupted; run the same command again to resume'],
]

/** What a command that only reads means by them. */
const OF_READERS = new Map([
  [2, 'invalid command line or configuration'],
  [3, 'this is not Windows, and --simulate is not given'],
  [5, 'the output could not be written'],
  [130, 'interrupted'],
])

/** For a command that continues after restarts of Windows. */
export const OPERATION_FAILED = [
  5,
  'an operation on Windows failed; or Windows was restarted 3 times, and must be again',
] as const

type Code = number | readonly [code: number, when: string]

/** The section of a command's help, one code per line. A code alone has its usual meaning. */
export const exitCodes = (...codes: readonly Code[]): string => section(codes, new Map(EXIT_CODES))

/** The same for a command that changes nothing. */
export const readerExitCodes = (...codes: readonly Code[]): string => section(codes, OF_READERS)

function section(codes: readonly Code[], usual: ReadonlyMap<number, string>): string {
  const lines = codes.map((one) => (typeof one === 'number' ? `${one}: ${usual.get(one)}` : one.join(': ')))
  return ['Exit codes:', ...lines].join('\n')
}
