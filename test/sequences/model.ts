// What a sequence must end in: which node, of which release and containerd, or which refusal. After a kill several are
// possible until the next command has ended.
import {isOlder, olderMinors, parseVersion, type Version} from '../../src/config/version.js'
import type {SetupAct} from './acts.js'

export interface Node {
  readonly containerd: string
  readonly release: string
}

export interface State {
  /** As node.yaml has it. */
  readonly node?: Node | undefined
  /** The newest containerd that has opened its root. */
  readonly opened?: string | undefined
}

export interface Surroundings {
  /** Pods on the node that can be evicted. */
  readonly hasPods: boolean
  /** Known to k8s-win, of the server's minor. */
  readonly newest: string
  /** The version of a containerd that is there already. */
  readonly present?: string | undefined
  readonly server: string
}

export type Outcome = {readonly error: string} | {readonly node: Node; readonly state: State}

const version = (text: string): Version => {
  const parsed = parseVersion(text)
  if (!parsed) throw new Error(`${text} is not a version`)
  return parsed
}

export function afterSetup(state: State, act: SetupAct, around: Surroundings): Outcome {
  const {node} = state
  if (act.run === 'upgrade' && !node) return {error: 'NO_NODE'}
  const release = releaseOf(state, act, around)
  const [wanted, server] = [version(release), version(around.server)]
  const containerd = around.present ?? containerdOf(state, act, release)
  if (act.containerd !== undefined && version(act.containerd).major < version(containerd).major)
    return {error: 'CONTAINERD_DOWNGRADE'}
  const ahead = server.minor - wanted.minor
  if (ahead < 0 || ahead > olderMinors(wanted.minor)) return {error: 'VERSION_SKEW'}
  const isOtherMinor = node !== undefined && version(node.release).minor !== wanted.minor
  if (isOtherMinor && around.hasPods && !act.drain) return {error: 'DRAIN_NEEDED'}
  const next = {containerd, release}
  return {node: next, state: {node: next, opened: newest(state.opened, containerd)}}
}

function releaseOf({node}: State, {release, run}: SetupAct, {newest: patch}: Surroundings): string {
  if (release !== undefined) return release
  if (!node) return patch
  const isNewer =
    run === 'upgrade' && (isOtherMinor(node.release, patch) || isOlder(version(node.release), version(patch)))
  return isNewer ? patch : node.release
}

const isOtherMinor = (a: string, b: string): boolean => version(a).minor !== version(b).minor

/** A stored version is of the minor that it was stored with; an older one than has opened the root is not chosen. */
function containerdOf({node, opened}: State, {containerd}: SetupAct, release: string): string {
  const asked = containerd ?? (node && !isOtherMinor(node.release, release) ? node.containerd : undefined)
  const chosen = asked ?? '2.3.4'
  if (opened === undefined) return chosen
  if (!node && asked === undefined) return opened
  const isTooOld =
    asked === undefined ? isOlder(version(chosen), version(opened)) : version(asked).major < version(opened).major
  return isTooOld ? opened : chosen
}

const newest = (a: string | undefined, b: string): string =>
  a !== undefined && isOlder(version(b), version(a)) ? a : b

export function afterReset({opened}: State, purge: boolean): State {
  return purge ? {} : {opened}
}

/** A command that was killed has stored its node or not, and containerd has opened its root or not. */
export function afterKill(before: State, after: State): State[] {
  const nodes = [before.node, after.node]
  const opened = [before.opened, after.opened]
  const all = nodes.flatMap((node) => opened.map((one) => ({node, opened: one})))
  return [...new Map(all.map((state) => [JSON.stringify(state), state])).values()]
}

/** The old release comes back, with the old containerd unless a newer major of it has opened the root. */
export function afterFailure(before: State, after: State): State[] {
  const [old, next] = [before.node, after.node]
  if (!old || !next) return afterKill(before, after)
  const isMajor = version(next.containerd).major > version(old.containerd).major
  const kept = {...old, containerd: next.containerd}
  return [
    before,
    {node: old, opened: newest(before.opened, next.containerd)},
    ...(isMajor ? [{node: kept, opened: newest(before.opened, next.containerd)}] : []),
  ]
}
