// One layer of a pull: its bytes, its retries after a cut connection, its check and its unpacking.
import type {Stage} from '../model.js'
import type {DownloadState} from '../world.js'
import {DockerRefusal} from './answer.js'
import type {RegistryImage} from './registry.js'

/** About 20 MB a second, told in pieces. */
const BYTES_PER_MS = 20_000
const PIECES = 8
/** dockerd's --max-download-attempts; it waits 5 s longer before each. */
const RETRIES = 5
const RETRY_SECONDS = 5
const BAR = 50

export async function* layerLines(
  stage: Stage,
  {digest, id, size}: RegistryImage['layers'][number],
  fault: DownloadState['fault'],
): AsyncIterable<object> {
  let done = 0
  for (let retries = 0; done < size;) {
    // After a cut it asks for the rest, and tells the size of the rest as the total.
    const rest = size - done
    let problem: string | undefined
    for (let piece = 1; piece <= PIECES && problem === undefined; piece++) {
      await stage.elapse(rest / BYTES_PER_MS / PIECES)
      problem = cutOf(stage, piece, fault === 'truncated' || (fault === 'cut-once' && retries === 0))
      const current = Math.round((rest * (problem === undefined ? piece : piece - 1)) / PIECES)
      if (problem === undefined) yield progressLine('Downloading', id, current, rest)
      if (problem !== undefined || piece === PIECES) done += current
    }

    if (problem === undefined) break
    if (++retries > RETRIES) throw new DockerRefusal(500, problem)
    for (let left = retries * RETRY_SECONDS; left > 0; left--) {
      yield {status: `Retrying in ${left} second${left === 1 ? '' : 's'}`, progressDetail: {}, id}
      await stage.elapse(1000)
    }
  }

  yield {status: 'Verifying Checksum', progressDetail: {}, id}
  if (fault === 'wrong-bytes') {
    throw new DockerRefusal(500, `filesystem layer verification failed for digest ${digest}`)
  }

  yield {status: 'Download complete', progressDetail: {}, id}
  await stage.elapse(size / BYTES_PER_MS / 2)
  yield progressLine('Extracting', id, size, size)
  yield {status: 'Pull complete', progressDetail: {}, id}
}

/** The engine's own connections are cut too while the host is off the network. */
function cutOf({now, world}: Stage, piece: number, isFaulty: boolean): string | undefined {
  if (isFaulty && piece > PIECES / 2) return 'unexpected EOF'
  const isOffline = world.os.offlineUntil > now()
  return isOffline ? 'read tcp: wsarecv: An existing connection was forcibly closed by the remote host.' : undefined
}

/** moby's pkg/jsonmessage: a bar of 50 and both numbers, for clients that only print. */
function progressLine(status: string, id: string, current: number, total: number): object {
  const filled = Math.min(BAR, Math.floor(Math.floor((current / total) * 100) / 2))
  const bar = `[${'='.repeat(filled)}>${' '.repeat(BAR - filled)}] `
  const progress = `${bar}${humanSize(current).padStart(8)}/${humanSize(total)}`
  return {status, progressDetail: {current, total}, progress, id}
}

function humanSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** unit).toPrecision(4))}${units[unit]}`
}
