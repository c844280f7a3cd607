// What crictl and ctr say when they fail, and which error it is. Their words are Go's, in English everywhere; only the
// sentences of Windows inside them may be in the host's language, so those are known by their codes.
import {CONTAINERD_PIPE} from '../../config/model.js'
import {containerdFailed, noSpaceForImage, pullCancelled, pullFailed} from '../../errors/downloads-and-images.js'
import {containerdStopped, pipeTaken} from '../../errors/host.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {DeadlineError} from '../../machine/clock.js'
import type {RunResult} from '../../machine/run.js'
import {parseJson} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import {RUNTIME_TITLES} from '../runtime.js'

/** The last message of logrus at a level that ends crictl (1.36.0: fatal; later: error, cmd/crictl/main.go). */
const LOGRUS = /^time=\S{1,64} level=(?:fatal|error) msg=("(?:[^"\\\n]|\\.){0,8000}"|\S{1,8000})/gm
/** ctr's main.go prints its error so, after the lines of its log. */
const CTR = /^ctr: ([^\n]{1,8000})/m

/** The program's last message, without the time and the level. */
export function lastWords({exitCode, stderr, stdout}: RunResult): string {
  const logged = [...stderr.matchAll(LOGRUS)].at(-1)?.[1]
  const words = CTR.exec(stderr)?.[1] ?? (logged === undefined ? undefined : unquoted(logged))
  return shortened((words ?? (stderr.trim() || stdout.trim())) || `exit code ${exitCode}`)
}

/** Go quotes as JSON does, but for a few escapes that are rare in messages (strconv.Quote). */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  const parsed = parseJson(text)
  return typeof parsed === 'string' ? parsed : text.slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\')
}

/**
 * The connection broke or never was: grpc-go's words inside of Unavailable, which ctr 2.x has at the end instead
 * (containerd/errdefs, errgrpc.ToNative); ctr's own where it finds no pipe (cmd/ctr/commands/client.go).
 */
const STOPPED =
  /(?:code = Unavailable desc = |^)(?:connection error: |error reading from server|transport is closing)|^(?:failed to dial|cannot access socket) /
/** An HTTP/2 server would have answered; this one speaks something else (grpc-go, internal/transport/http2_client.go). */
const NOT_GRPC = /error reading server preface: http2:/
/** The CRI's Version was not understood: a gRPC server without the CRI, or a containerd whose CRI plugin did not load. */
const NO_CRI = /^validate service connection: .*code = Unimplemented/
/** ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL as hcsshim writes them (internal/hcserror/hcserror.go), and Go's words. */
const DISK_FULL =
  /failed in Win32: .{0,500}\(0x(?:27|70)\)|There is not enough space on the disk|no space left on device/
/** internal/cri/server/images/image_pull.go cancels its own context where a pull makes no progress. */
const CANCELLED = /code = Canceled|context canceled/

/** grpc-go's words where nothing answered in time. */
const SILENT = /^validate service connection: .*code = DeadlineExceeded/

/** The cause of an error for which containerd itself has not served the caller, though its pipe is there. */
class NotServed extends Error {}

/**
 * Whether containerd is known not to serve: there is no pipe, or the client says so, or hangs. A client that cannot be run
 * or makes no sense shows nothing about containerd.
 */
export const isNotServing = (error: K8sWinError): boolean =>
  containerdStopped.is(error) || error.cause instanceof DeadlineError || error.cause instanceof NotServed

/** What keeps every call from being answered. */
function unreachable(words: string): K8sWinError | undefined {
  const pipe = /\/\/\.\/pipe\/[^\s:"]{1,200}/.exec(words)?.[0].replaceAll('/', '\\') ?? CONTAINERD_PIPE
  if (NOT_GRPC.test(words)) return pipeTaken({pipe, said: words})
  if (NO_CRI.test(words)) {
    const operation = 'serve the container runtime interface'
    return containerdFailed({operation, said: words}, {cause: new NotServed(words)})
  }
  return STOPPED.test(words) ? containerdStopped({pipe, reason: words}) : undefined
}

/** The same where its service runs: it hangs, and starting it again is refused. */
export const whileServiceRuns = (error: K8sWinError): K8sWinError =>
  containerdStopped.is(error)
    ? error.with({
        fix: 'It hangs, or is still starting. Restart the service: "net stop containerd", then "net start containerd"; this ends the pods of this node, which the kubelet starts again. If it hangs again, check its log: run "k8s-win logs containerd".',
        message: 'The service containerd is running, but containerd does not respond',
      })
    : error

export const isUnreachable = (words: string): boolean => unreachable(words) !== undefined

export const failureOf = (words: string, operation: string): K8sWinError =>
  unreachable(words) ??
  containerdFailed({operation, said: words}, SILENT.test(words) ? {cause: new NotServed(words)} : undefined)

export function pullFailure(image: string, words: string): K8sWinError {
  const said = words.replace(/^pulling image: /, '')
  return (
    unreachable(words) ??
    (DISK_FULL.test(said)
      ? noSpaceForImage({image, said})
      : CANCELLED.test(said)
        ? pullCancelled({image, said})
        : pullFailed({image, runtime: RUNTIME_TITLES.containerd, said}))
  )
}
