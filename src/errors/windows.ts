// Exit 5: an operation on Windows failed.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

export const netshFailed = defineError<{args: string; code: string; output: string}>('NETSH_FAILED', 5, {
  cause: (p) => `netsh.exe ended with ${p.code} and said: ${p.output}`,
  fix: (p) =>
    `Run "netsh ${p.args}" in an elevated console to reproduce the failure; a group policy may manage the firewall.`,
  message: 'A firewall rule cannot be changed',
})

export const hnsRefused = defineError<{code: string; request: string; said: string}>('HNS_REFUSED', 5, {
  cause: (p) => `The Host Networking Service said: ${p.said} (code ${p.code}).`,
  fix: 'Check that the service is running ("sc.exe config hns start= demand", then "net start hns") and run the same command again. If it fails again, restart Windows.',
  message: (p) => `The Host Networking Service refused ${p.request}`,
})

export const hostLocalFailed = defineError<{command: string; network: string; said: string}>('HOST_LOCAL_FAILED', 5, {
  cause: (p) => `host-local.exe ${p.command} said: ${p.said}`,
  fix: (p) =>
    String.raw`Check C:\var\lib\cni\networks` +
    `\\${p.network}: one file per address in use. Then run the same command again.`,
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
    `${p.remedy} "sc.exe qc ${pasted(p.service)}" and "sc.exe query ${pasted(p.service)}" in an elevated console show its state; then run the same command again.`,
  message: (p) => `The service ${p.service} could not be ${p.operation}`,
})

export const serviceWillNotStop = defineError<{service: string; why: string}>('SERVICE_WILL_NOT_STOP', 5, {
  cause: (p) => `${p.why}.`,
  fix: (p) =>
    `End its process: "sc.exe queryex ${pasted(p.service)}" shows its PID, "taskkill /F /PID <PID>" ends it. Then run the same command again.`,
  message: (p) => `The service ${p.service} does not stop`,
})

const FILE_CODES: Readonly<Record<string, string>> = {
  EACCES: 'access is denied, or it is open in another program',
  EBUSY: 'it is open in another program',
  EEXIST: 'something else already exists at this path',
  EIO: 'the disk reported an I/O error',
  EISDIR: 'a folder already exists at this path',
  ENOENT: 'the file or its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file exists where a folder is expected',
  EPERM: 'access is denied, or it is open in another program',
  EROFS: 'it cannot be written to',
}

const FILE_FIXES: Readonly<Record<string, string>> = {
  EEXIST: 'Move what already exists at this path',
  EISDIR: 'Move the folder that already exists at this path',
  ENOSPC: 'Free up space on the disk',
  ENOTDIR: 'Move the file that exists where a folder is expected',
}

export const fileRefused = defineError<{code: string; operation: string; path: string}>('FILE_REFUSED', 5, {
  cause: (p) => `The system reported ${p.code}: ${FILE_CODES[p.code] ?? 'another program or the disk prevents it'}.`,
  fix: (p) =>
    `${FILE_FIXES[p.code] ?? 'Close programs that use it (an editor, an antivirus scan), check the free space'}, and run the same command again.`,
  message: (p) => `Cannot ${p.operation} ${p.path}`,
})

export const windowsCallFailed = defineError<{call: string; code: string}>('WINDOWS_CALL_FAILED', 5, {
  cause: (p) => `Windows reported error ${p.code} ("net helpmsg ${p.code}" explains it).`,
  fix: 'Run the same command again. If it fails again, the log shows the call with all its arguments.',
  message: (p) => `${p.call} failed`,
})

export const programFailed = defineError<{program: string; reason: string}>('PROGRAM_FAILED', 5, {
  cause: (p) => p.reason,
  fix: 'Run the same command again. If it fails again, the log shows the command line.',
  message: (p) => `${p.program} cannot be run`,
})

export const noAnswer = defineError<{limit: string; what: string}>('NO_ANSWER', 5, {
  cause: (p) => `It was terminated after ${p.limit}.`,
  fix: 'Check that the host is not overloaded, and run the same command again. If it fails again, the log shows all its arguments.',
  message: (p) => `No response to: ${p.what}`,
})

export const stepDidNotHold = defineError<{evidence: string; step: string}>('STEP_DID_NOT_HOLD', 5, {
  cause: (p) => `The step was applied, but: ${p.evidence}.`,
  fix: 'Another program on this host reverts the change (a group policy, another tool). Find it, then run the same command again.',
  message: (p) => `The change of the step "${p.step}" was reverted`,
})

export const stepStopped = defineError<{step: string}>('STEP_STOPPED', 5, {
  cause: 'Another step failed, or requires a restart of Windows. What this step had changed by then stays.',
  fix: 'Fix the problem that the other step reports, then run the same command again to resume.',
  message: (p) => `The step "${p.step}" was stopped before it was complete`,
})

export const skippedStepNeeded = defineError<{evidence: string; failed: string; skipped: string; step: string}>(
  'SKIPPED_STEP_NEEDED',
  5,
  {
    cause: (p) => `${p.skipped} was skipped (--skip), and ${p.evidence}. As a result this failed: ${p.failed}.`,
    fix: (p) =>
      `Run the same command without --skip ${p.skipped}; or first create manually what the step would have created.`,
    message: (p) => `The step "${p.step}" requires the skipped step ${p.skipped}`,
  },
)
