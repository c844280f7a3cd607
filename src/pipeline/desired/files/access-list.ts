// Access lists that setup changed.
import {win32} from 'node:path'
import {isWithin} from '../../../config/base-dir.js'
import {
  ASIDE,
  CNI_STATE_FOLDER,
  CONTAINERD_DATA,
  FLANNEL_CONFIG_FOLDER,
  FLANNEL_STATE_FOLDER,
  KUBELET_KEYS,
  KUBELET_PLUGINS,
  KUBELET_PODS,
  KUBELET_ROOT,
  KUBELET_SOCKETS,
  layoutOf,
  POD_LOGS,
} from '../../../config/layout.js'
import {isAdministratorsOnly} from '../../../host/security/access.js'
import {closedFolders, keyOf, surveyPlaces} from '../../../host/security/known-paths.js'
import {parseSddl} from '../../../machine/sddl.js'
import type {StepId} from '../../run/step.js'
import {shortList} from '../../short-list.js'
import {isChildOf, type Kind, perConfig, type Search, type Things, thingsOf} from '../../ledger/kind.js'

/** Folders that a step restricts, beside those of the base directory. */
const SAFE_FOLDERS: Things = new Map<string, StepId>([
  ...thingsOf('containerd-service', CONTAINERD_DATA),
  ...thingsOf('net-conf', FLANNEL_CONFIG_FOLDER),
  ...thingsOf('kubelet-service', KUBELET_ROOT, KUBELET_KEYS, KUBELET_PLUGINS, ...KUBELET_SOCKETS),
  ...thingsOf('kubelet-service', KUBELET_PODS, ...POD_LOGS),
  ...thingsOf('flanneld-service', FLANNEL_STATE_FOLDER),
  ...thingsOf('source-vip', CNI_STATE_FOLDER),
])

export const security: Kind = {
  accepts: ({path, previous}, step, config) =>
    typeof path === 'string' &&
    (step === 'base-dir' ? isClosedBy(config)(path) : SAFE_FOLDERS.get(keyOf(path)) === step) &&
    typeof previous === 'string' &&
    parseSddl(previous) !== undefined,
  find: {rest: reportAccess},
  place: 'the access lists',
  async remove({changed, host, journal}, step) {
    // The oldest entry of a path has the access list from before setup.
    const before = new Map(journal.entries(step, 'security').map((entry) => [entry.path, entry.previous]))
    for (const [path, previous] of before) {
      if (!(await host.files.status(path)) || (await host.security.of(path)) === previous) continue
      await host.security.set(path, previous)
      changed(`restore the access list of ${path}`)
    }
  },
  steps: ['base-dir', 'containerd-service', 'net-conf', 'kubelet-service', 'flanneld-service', 'source-vip'],
}

const isClosedBy = perConfig(({baseDir}) => {
  const {folders, inside} = closedFolders(baseDir)
  const isRoot = (path: string): boolean => win32.dirname(path) === path
  return (path: string) => (folders.has(keyOf(path)) && !isRoot(path)) || isChildOf(inside, path)
})

async function reportAccess({config, host, isGoing, isNamed, leave}: Search): Promise<void> {
  const {baseDir} = config
  const isClosed = isClosedBy(config)
  const {logs, state} = layoutOf(baseDir)
  const isOurs = (path: string): boolean =>
    isGoing(path) ||
    isNamed({kind: 'directory', path}) ||
    isNamed({kind: 'file', path: path.endsWith(ASIDE) ? path.slice(0, -ASIDE.length) : path}) ||
    [logs, state].some((folder) => isWithin(keyOf(path), keyOf(folder)))
  const own: string[] = []
  const inherited: string[] = []
  for (const {path, sddl = ''} of await host.security.survey(surveyPlaces(baseDir))) {
    const isRecorded = isNamed({kind: 'security', path, previous: sddl})
    if (!isClosed(path) || parseSddl(sddl) === undefined || isRecorded || isOurs(path)) continue
    if (isAdministratorsOnly(sddl)) own.push(path)
    else if (isInherited(sddl)) inherited.push(path)
  }

  const unknown = 'who had access before setup is not known'
  if (own.length > 0) leave(`the access lists of ${shortList(own)}, which allow administrators only: ${unknown}`)
  if (inherited.length > 0) leave(`the access lists of ${shortList(inherited)}: ${unknown}`)
}

/** As setup leaves a file that others could write to: with inherited entries only. */
function isInherited(sddl: string): boolean {
  const {entries = [], owner} = parseSddl(sddl) ?? {}
  return owner === 'BA' && entries.every(({flags}) => flags.includes('ID'))
}
