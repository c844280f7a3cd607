// Keys that the kubelet has written since setup started it, in a folder that was there before: the kubeconfig's own, at the
// first start, and those of the certificates it got. Where all of C:\var\lib\kubelet is ours they go with it.
import {win32} from 'node:path'
import {KUBELET_KEYS} from '../../config/layout.js'
import {keyOf} from '../../host/security/known-paths.js'
import type {Files} from '../../machine/files.js'
import type {Journal} from '../ledger/journal.js'
import {removePath} from './remove-path.js'
import type {StepContext} from '../run/step.js'

const STEP = 'kubelet-service'
/** Names that only a kubelet gives: certificate_store.go, filename; the serving pair of app/server.go, InitializeTLS. */
const BY_KUBELET = /^kubelet(?:-client-(?:current|updated|\d{4}(?:-\d\d){5})\.pem|\.(?:crt|key))$/i

/**
 * Notes what is there before the kubelet starts for the first time: whatever else a reset finds there by such a name, this
 * node's kubelet has made since, for no other one can run beside it.
 */
export async function noteKeys({host, journal}: Pick<StepContext, 'host' | 'journal'>): Promise<void> {
  const isInTree = journal.entries(STEP, 'tree').some(({path}) => keyOf(KUBELET_KEYS).startsWith(`${keyOf(path)}\\`))
  if (isInTree || journal.entries(STEP, 'files-before').length > 0) return
  const names = (await host.files.list(KUBELET_KEYS)).filter((name) => BY_KUBELET.test(name))
  await journal.record(STEP, {kind: 'files-before', names, path: KUBELET_KEYS})
}

/** Paths of those that have come since; and a link that was there before, where it leads to one of them. */
export async function keysMadeSince(files: Files, journal: Pick<Journal, 'entries'>): Promise<string[]> {
  const [before] = journal.entries(STEP, 'files-before')
  if (!before) return []
  const isKnown = new Set(before.names.map((name) => name.toLowerCase()))
  const names = (await files.list(before.path)).filter((name) => BY_KUBELET.test(name))
  const made = new Set(names.filter((name) => !isKnown.has(name.toLowerCase())))
  for (const name of names) {
    const {beside} = (await files.status(win32.join(before.path, name))) ?? {}
    if (beside !== undefined && made.has(beside)) made.add(name)
  }

  return [...made].map((name) => win32.join(before.path, name))
}

/** Before the folder that they are in. */
export async function removeKeys(context: StepContext): Promise<void> {
  for (const path of await keysMadeSince(context.host.files, context.journal)) await removePath(context, path)
}
