// Setups that note what an ordinary one does not: all of it is followed, too.
import {expect, it} from 'vitest'
import type {GivenOptions} from '../../../src/config/options/options.js'
import {layoutOf} from '../../../src/config/layout.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {type JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import {possibleEntries} from '../../../src/pipeline/owned/kinds.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {setup} from '../../fixtures/run-setup.js'
import {HostFolder} from '../../steps/host-folder.js'

const COPY = String.raw`C:\given\kubeconfig`

it.each<[string, GivenOptions, JournalEntry & {step: string}]>([
  [
    'that takes everything over, elsewhere',
    {adopt: true, 'base-dir': String.raw`C:\my\node`, kubeconfig: COPY},
    {kind: 'directory', path: String.raw`C:\my`, step: 'base-dir'},
  ],
  [
    'with a kubeconfig for each daemon',
    {'flanneld-kubeconfig': COPY, 'kube-proxy-kubeconfig': COPY, 'kubelet-kubeconfig': COPY},
    {kind: 'file', path: String.raw`C:\k\kube-proxy.kubeconfig`, step: 'base-dir'},
  ],
  [
    'of a flannel that needs another network',
    {digest: [`flanneld=sha256:${'cd'.repeat(32)}`], 'flannel-version': '0.11.0'},
    {kind: 'network', name: 'External', step: 'external-network'},
  ],
])('a setup %s is followed altogether', async (_, given, noted) => {
  const host = HostFolder.empty()
  try {
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.put(String.raw`given\kubeconfig`, host.read(String.raw`k\kubeconfig`))
    const {result} = await setup(host.dir, given)
    expect(result?.exitCode).toBe(0)
    const config = setupConfig(given)
    const {files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const lines = (await openJournal(files, layoutOf(config.baseDir).journal, () => 0)).all()
    const isPossible = possibleEntries(config)
    expect(lines.map(({entry, step}) => ({...entry, step}))).toContainEqual(noted)
    expect(lines.filter((line) => !isPossible(line))).toEqual([])
  } finally {
    host.discard()
  }
})
