// A journal that a user has written to make reset remove what is not created by k8s-win: nothing of others is touched, it is
// reported, and there is never a stack.
import fc from 'fast-check'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {STEP_IDS} from '../../src/config/step-ids.js'
import type {JournalLine} from '../../src/pipeline/ledger/journal.js'
import {KINDS} from '../../src/pipeline/owned/kinds.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {FOREIGN_PATHS, hostileLine} from '../pipeline/owned/hostile-entries.js'
import {textOf} from '../pipeline/ledger/note-in.js'
import {HostFolder} from '../steps/host-folder.js'
import {seedForeigners} from './foreigners.js'
import {resetOn} from './reset-run.js'
import {differences, type WholeHost, wholeHost} from './whole-host.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
/** Our own records may come and go. */
const RECORDS = /^(?:files > k\/(?:k8s-win|logs\/k8s-win)(?:\/|:)|world > security > c:\\k\\(?:k8s-win|logs))/

const made = HostFolder.empty()
let before: WholeHost
beforeAll(async () => {
  await openSimulator({dir: made.dir, profile: 'ws2019'})
  for (const path of FOREIGN_PATHS) made.put(path.slice('C:\\'.length), 'theirs')
  seedForeigners(made)
  // Folders that setup makes, with something of others in them.
  made.put(String.raw`k\kubernetes\node\bin\readme.txt`, 'theirs')
  before = wholeHost(made)
})
afterAll(() => made.discard())

async function resetBy(
  lines: readonly JournalLine[],
): Promise<{exitCode: number; lost: string[]; warnings: readonly string[]}> {
  const host = made.copy()
  try {
    host.put(JOURNAL, textOf(...lines))
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    return {
      exitCode: result.exitCode,
      lost: differences(before, wholeHost(host)).filter((one) => !RECORDS.test(one)),
      warnings,
    }
  } finally {
    host.discard()
  }
}

it('made of anything at all takes nothing from others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileLine, {maxLength: 150, minLength: 100}), async (lines) => {
      expect((await resetBy(lines)).lost).toEqual([])
    }),
    {endOnFailure: true, numRuns: 4},
  )
})

it('that names everything of others, under every step, takes nothing, and each is reported', async () => {
  const names = ['docker', 'theirs-1', 'theirs 1', 'nat', 'THEIRS_1', 'Path', 'linux-1']
  const entries = [
    ...FOREIGN_PATHS.flatMap((path) => ['directory', 'download', 'file', 'tree'].map((kind) => ({kind, path}))),
    ...names.flatMap((name) => ['environment', 'firewall-rule', 'network', 'service'].map((kind) => ({kind, name}))),
    {kind: 'path-entry', folder: String.raw`C:\Theirs\1`},
    {kind: 'image-pull', reference: 'theirs/image-2:latest'},
    {kind: 'image-tag', reference: 'theirs/image-2:latest'},
    {kind: 'node', name: 'linux-1'},
    {kind: 'reservation', network: 'theirs', subnet: '10.99.0.0/24'},
  ]
  const lines = entries.flatMap((entry) => STEP_IDS.map((step) => ({entry, step}) as unknown as JournalLine))
  const {lost, warnings} = await resetBy(lines)
  expect(lost).toEqual([])
  expect(
    warnings.filter((message) => message.includes('setup in this base directory does not record that')),
  ).toHaveLength(
    // The node is judged by the cluster, under the step that notes it.
    lines.length - 1,
  )
})

it('with paths that are no paths, of every kind, does not stop the reset', async () => {
  const paths = [undefined, {}, [], 7, null, String.raw`C:\Windows\System32\drivers\etc\hosts::$DATA`]
  const lines = Object.keys(KINDS).flatMap((kind) =>
    paths.flatMap((path) => STEP_IDS.map((step) => ({entry: {kind, path}, step}) as unknown as JournalLine)),
  )
  expect(await resetBy(lines)).toMatchObject({exitCode: 7, lost: []})
})

it('that names all that setup could have made removes only what has no other owner', async () => {
  // Nothing was ever set up: what is there under these names is no one's, or another tool's.
  const lines = [
    {entry: {kind: 'service', name: 'kubelet'}, step: 'kubelet-service'},
    {entry: {kind: 'firewall-rule', name: 'k8s-win kubelet TCP 10250'}, step: 'firewall-rules'},
    {entry: {kind: 'directory', path: String.raw`C:\etc`}, step: 'net-conf'},
    {entry: {kind: 'directory', path: String.raw`C:\var`}, step: 'kubelet-service'},
    {entry: {kind: 'directory', path: String.raw`C:\k`}, step: 'base-dir'},
    {entry: {kind: 'directory', path: String.raw`C:\k\downloads`}, step: 'cni-binaries'},
    {entry: {kind: 'environment', name: 'KUBECONFIG', previous: 'evil'}, step: 'machine-environment'},
    {entry: {kind: 'node', name: 'linux-1'}, step: 'node-registered'},
  ] as const
  const {lost, warnings} = await resetBy(lines)
  expect(lost).toEqual([])
  expect(warnings.join('\n')).toContain('linux-1 is kept in the cluster because it is another machine')
})

it.each([
  ['that a user can write', (host: HostFolder) => own(host, JOURNAL)],
  ['in a folder of a user', (host: HostFolder) => own(host, String.raw`k\k8s-win`)],
  ['below a base directory of a user', (host: HostFolder) => own(host, 'k')],
])('review S13: a journal %s is not read, and nothing is removed by it', async (_, give) => {
  const host = made.copy()
  try {
    const entry = {kind: 'environment', name: 'KUBECONFIG', previous: String.raw`C:\bob\kubeconfig`} as const
    host.put(JOURNAL, textOf({entry, step: 'machine-environment'}))
    give(host)
    const planted = wholeHost(host)
    const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect([result.exitCode, result.error?.id]).toEqual([
      3,
      expect.stringMatching(/^(?:UNTRUSTED_FILE|PARENT_OPEN_TO_OTHERS)$/),
    ])
    expect(differences(planted, wholeHost(host)).filter((one) => !RECORDS.test(one))).toEqual([])
  } finally {
    host.discard()
  }
})

function own(host: HostFolder, path: string): void {
  const sddl = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
  host.edit(({security}) => (security[`c:\\${path}`.toLowerCase()] = sddl))
}
