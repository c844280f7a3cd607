// The containerd that was on the host before, as setup found it: later commands need its pipe and folders also when it is
// gone or changed. It is not removed.
import {win32} from 'node:path'
import type {Decided} from '../../../config/model.js'
import {parseVersion} from '../../../config/version.js'
import type {EntryOf} from '../../ledger/entries.js'
import type {Journal} from '../../ledger/journal.js'
import type {Kind} from '../../ledger/kind.js'

const PATHS = ['cniBinaries', 'cniConfigFolder', 'config', 'ctr', 'data', 'program'] as const
const PIPE = /^\\\\\.\\pipe\\[^\\/]{1,200}$/
const NAME = /^[\w .-]{1,200}$/

export const presentContainerd: Kind = {
  accepts: ({kind: _, pipe, sandboxImage, service, version, ...paths}) =>
    PATHS.every((name) => isFolder(paths[name])) &&
    typeof pipe === 'string' &&
    PIPE.test(pipe) &&
    typeof service === 'string' &&
    NAME.test(service) &&
    typeof sandboxImage === 'string' &&
    typeof version === 'string' &&
    parseVersion(version) !== undefined,
  steps: ['base-dir'],
}

/** A path on a drive, in its normal spelling, below the root. */
const isFolder = (path: unknown): boolean =>
  typeof path === 'string' && /^[a-z]:\\[^\\]/i.test(path) && path === win32.normalize(path)

export const entryOf = ({containerd, versions}: Decided): EntryOf<'present-containerd'> => {
  const {isOurs: _, ...place} = containerd
  return {...place, kind: 'present-containerd', version: versions.containerd.text}
}

/** The configuration of a node that uses the containerd which the journal names. */
export function withRecordedContainerd(config: Decided, journal: Pick<Journal, 'entries'>): Decided {
  const [entry] = journal.entries('base-dir', 'present-containerd')
  const version = parseVersion(entry?.version ?? '')
  if (!entry || !version || !presentContainerd.accepts?.({...entry}, 'base-dir', config)) return config
  const {cniBinaries, cniConfigFolder, config: file, ctr, data, pipe, program, sandboxImage = '', service} = entry
  const place = {
    cniBinaries,
    cniConfigFolder,
    config: file,
    ctr,
    data,
    isOurs: false,
    pipe,
    program,
    sandboxImage,
    service,
  }
  return Object.freeze({
    ...config,
    containerd: place,
    versions: Object.freeze({...config.versions, containerd: version}),
  })
}
