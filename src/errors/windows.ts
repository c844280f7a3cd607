// Exit 5: an operation on Windows failed.
import {defineError} from './define.js'

export const netshFailed = defineError<{args: string; code: string; output: string}>('NETSH_FAILED', 5, {
  cause: (p) => `netsh.exe ended with ${p.code} and said: ${p.output}`,
  fix: (p) => `Run "netsh ${p.args}" in an elevated console to see the same; a group policy may manage the firewall.`,
  message: 'A firewall rule could not be changed',
})

export const hnsRefused = defineError<{code: string; request: string; said: string}>('HNS_REFUSED', 5, {
  cause: (p) => `The Host Networking Service said: ${p.said} (code ${p.code}).`,
  fix: 'See that it runs ("sc config hns start= demand", then "net start hns") and run the same command again; if it stays, restart Windows.',
  message: (p) => `The Host Networking Service refused ${p.request}`,
})

export const hostLocalFailed = defineError<{command: string; network: string; said: string}>('HOST_LOCAL_FAILED', 5, {
  cause: (p) => `host-local.exe ${p.command} said: ${p.said}`,
  fix: (p) =>
    String.raw`Look at C:\var\lib\cni\networks` +
    `\\${p.network}: one file an address that is taken. Then run the same command again.`,
  message: 'No address could be reserved for kube-proxy',
})

export const serviceRefused = defineError<{
  code: string
  meaning: string
  operation: string
  remedy: string
  service: string
}>('SERVICE_REFUSED', 5, {
  cause: (p) => `Windows error ${p.code}: ${p.meaning}.`,
  fix: (p) =>
    `${p.remedy} "sc qc ${p.service}" and "sc query ${p.service}" in an elevated console show how it is; then run the same command again.`,
  message: (p) => `The service ${p.service} could not be ${p.operation}`,
})

export const serviceWillNotStop = defineError<{service: string; why: string}>('SERVICE_WILL_NOT_STOP', 5, {
  cause: (p) => `${p.why}.`,
  fix: (p) =>
    `End its process: "sc queryex ${p.service}" shows its number, "taskkill /F /PID <number>" ends it. Then run the same command again.`,
  message: (p) => `The service ${p.service} does not stop`,
})

const FILE_CODES: Readonly<Record<string, string>> = {
  EACCES: 'access is denied, or another program has it open',
  EBUSY: 'another program has it open',
  EEXIST: 'there is something else in its place',
  EIO: 'the disk could not do it',
  EISDIR: 'there is a folder in its place',
  ENOENT: 'it, or the folder it is in, is not there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder should be',
  EPERM: 'access is denied, or another program has it open',
  EROFS: 'it cannot be written to',
}

const FILE_FIXES: Readonly<Record<string, string>> = {
  EEXIST: 'Move away what is in its place',
  EISDIR: 'Move away the folder that is in its place',
  ENOSPC: 'Make room on the disk',
  ENOTDIR: 'Move away the file that is in the place of a folder',
}

export const fileRefused = defineError<{code: string; operation: string; path: string}>('FILE_REFUSED', 5, {
  cause: (p) =>
    `The system answered ${p.code}: ${FILE_CODES[p.code] ?? 'another program or the disk itself is in the way'}.`,
  fix: (p) =>
    `${FILE_FIXES[p.code] ?? 'Close what holds it (an editor, an antivirus scan), look at the free space'}, and run the same command again.`,
  message: (p) => `Cannot ${p.operation} ${p.path}`,
})

export const windowsCallFailed = defineError<{call: string; code: string}>('WINDOWS_CALL_FAILED', 5, {
  cause: (p) => `Windows answered with error ${p.code} ("net helpmsg ${p.code}" tells what it means).`,
  fix: 'Run the same command again; if it stays, the log has the call with all its arguments.',
  message: (p) => `${p.call} failed`,
})

export const programFailed = defineError<{program: string; reason: string}>('PROGRAM_FAILED', 5, {
  cause: (p) => p.reason,
  fix: 'Run the same command again; if it stays, the log has the command line.',
  message: (p) => `${p.program} could not be run`,
})

export const noAnswer = defineError<{limit: string; what: string}>('NO_ANSWER', 5, {
  cause: (p) => `It was ended after ${p.limit}.`,
  fix: 'See that the host is not overloaded, and run the same command again; if it stays, the log has all its arguments.',
  message: (p) => `There was no answer to: ${p.what}`,
})

export const stepDidNotHold = defineError<{evidence: string; step: string}>('STEP_DID_NOT_HOLD', 5, {
  cause: (p) => `It was done, and yet: ${p.evidence}.`,
  fix: 'Something else on this host changes it back (a group policy, another tool). Find it, then run the same command again.',
  message: (p) => `The step "${p.step}" did not hold`,
})

export const skippedStepNeeded = defineError<{evidence: string; failed: string; skipped: string; step: string}>(
  'SKIPPED_STEP_NEEDED',
  5,
  {
    cause: (p) => `${p.skipped} was skipped (--skip), and ${p.evidence}. So this failed: ${p.failed}.`,
    fix: (p) => `Run the same command without --skip ${p.skipped}; or first make yourself what it would have made.`,
    message: (p) => `The step "${p.step}" needs what ${p.skipped} makes`,
  },
)
