// Exit 5: an operation on Windows failed.
import {defineError, defineTransientError} from './define.js'

export const netshFailed = defineTransientError('NETSH_FAILED', 5, {
  cause: 'netsh.exe ended with {code} and said: {output}',
  fix: 'Run "netsh {args}" in an elevated console to reproduce the failure; a group policy may manage the firewall.',
  message: 'A firewall rule cannot be changed',
})

export const childFailed = defineTransientError('WATCH_PROCESS_FAILED', 5, {
  cause: 'It did not start, was killed, or has a bug.',
  fix: 'Run "k8s-win recover", which makes the same repairs. "k8s-win logs k8s-win" shows more.',
  message: 'The process in which watch repairs or inspects the node has failed: {seen}',
})

export const hnsRefused = defineTransientError('HNS_REFUSED', 5, {
  cause: 'The Host Networking Service said: {said} (code {code}).',
  fix: 'Check that the service is running ("sc.exe config hns start= demand", then "net start hns") and run the same command again. If it fails again, restart Windows.',
  message: 'The Host Networking Service refused {request}',
})

export const hostLocalFailed = defineTransientError('HOST_LOCAL_FAILED', 5, {
  cause: 'host-local.exe {command} said: {said}',
  fix: 'Check C:\\var\\lib\\cni\\networks\\{network}: one file per address in use. Then run the same command again.',
  message: 'No address could be reserved for kube-proxy',
})

export const serviceRefused = defineTransientError('SERVICE_REFUSED', 5, {
  cause: 'Windows error {code}: {meaning}.',
  fix: '{remedy} "sc.exe qc {service:word}" and "sc.exe query {service:word}" in an elevated console show its state; then run the same command again.',
  message: 'The service {service} could not be {operation}',
})

export const serviceWillNotStop = defineTransientError('SERVICE_WILL_NOT_STOP', 5, {
  cause: '{why}.',
  fix: 'End its process: "sc.exe queryex {service:word}" shows its PID, "taskkill /F /PID <PID>" ends it. Then run the same command again.',
  message: 'The service {service} does not stop',
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

export const fileRefused = defineTransientError('FILE_REFUSED', 5, {
  cause: (p: {code: string}) =>
    `The system reported ${p.code}: ${FILE_CODES[p.code] ?? 'another program or the disk prevents it'}.`,
  fix: (p: {code: string}) =>
    `${FILE_FIXES[p.code] ?? 'Close programs that use it (an editor, an antivirus scan), check the free space'}, and run the same command again.`,
  message: 'Cannot {operation} {path}',
})

export const windowsCallFailed = defineTransientError('WINDOWS_CALL_FAILED', 5, {
  cause: 'Windows reported error {code} ("net helpmsg {code}" explains it).',
  fix: 'Run the same command again. If it fails again, the log shows the call with all its arguments.',
  message: '{call} failed',
})

export const programFailed = defineTransientError('PROGRAM_FAILED', 5, {
  cause: '{reason}',
  fix: 'Run the same command again. If it fails again, the log shows the command line.',
  message: '{program} cannot be run',
})

export const noAnswer = defineTransientError('NO_ANSWER', 5, {
  cause: 'It was terminated after {limit}.',
  fix: 'Check that the host is not overloaded, and run the same command again. If it fails again, the log shows all its arguments.',
  message: 'No response to: {what}',
})

export const stepDidNotHold = defineTransientError('STEP_DID_NOT_HOLD', 5, {
  cause: 'The step was applied, but: {evidence}.',
  fix: 'Another program on this host reverts the change (a group policy, another tool). Find it, then run the same command again.',
  message: 'The change of the step "{step}" was reverted',
})

export const stepStopped = defineError('STEP_STOPPED', 5, {
  cause: 'Another step failed, or requires a restart of Windows. What this step had changed by then stays.',
  fix: 'Fix the problem that the other step reports, then run the same command again to resume.',
  message: 'The step "{step}" was stopped before it was complete',
})

export const skippedStepNeeded = defineError('SKIPPED_STEP_NEEDED', 5, {
  cause: '{skipped} was skipped (--skip), and {evidence}. As a result this failed: {failed}.',
  fix: 'Run setup without --skip {skipped}; or first create manually what the step would have created.',
  message: 'The step "{step}" requires the skipped step {skipped}',
})
