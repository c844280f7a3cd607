import {expect, test} from 'vitest'
import {removeStep} from '../../src/pipeline/owned/kinds.js'
import {containerdConfig} from '../../src/steps/containerd-config.js'
import {fileChanged, fileGone} from './drifts/drift.js'
import {CrashError} from '../fakes/faulty.js'
import {describeStep} from './five-tests.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'

const CERTS = String.raw`k\containerd\certs.d`
const given = {release: '1.36.4'}
const text = 'server = "https://x.example"\n'

describeStep(containerdConfig, {
  drifts: [fileGone(String.raw`k\containerd\config.toml`), fileChanged(String.raw`k\containerd\crictl.yaml`)],
  given,
})

describeStep(containerdConfig, {
  drifts: [
    fileGone(CERTS),
    fileGone(String.raw`${CERTS}\a.example`),
    fileChanged(String.raw`${CERTS}\a.example\hosts.toml`, ''),
    fileChanged(String.raw`${CERTS}\_default\ca.crt`),
  ],
  given,
  registries: {
    files: [
      {content: text, path: String.raw`a.example\hosts.toml`},
      {content: text, path: String.raw`b.example_5000_\hosts.toml`},
      {content: 'a certificate', path: String.raw`_default\ca.crt`},
    ],
    problems: [],
  },
  title: 'containerd-config, with --registry-config',
})

describeStep(containerdConfig, {
  drifts: [fileGone(String.raw`${CERTS}\a.example\hosts.toml`)],
  given,
  registries: {files: [{content: text, path: String.raw`a.example\hosts.toml`}], problems: []},
  title: "containerd-config, with a file of the user's own where one of --registry-config goes",
  undo(host) {
    host.put(String.raw`${CERTS}\a.example\hosts.toml`, '# mine\n')
  },
})

test('a run that is killed at any change of it is resumed by the next', async () => {
  const registries = {files: [{content: text, path: String.raw`a.example\hosts.toml`}], problems: []}
  const start = HostFolder.empty()
  start.put(String.raw`${CERTS}\a.example\hosts.toml`, '# mine\n')
  await (await Rig.open({dir: start.dir, given, registries})).runBefore('containerd-config')
  let cuts = 0
  for (const when of ['before', 'after'] as const) {
    for (let nth = 1, isCut = true; isCut; nth++) {
      const host = start.copy()
      let changes = 0
      const fault = {
        at: ({kind}: {kind: string}) => kind === 'change' && ++changes === nth,
        does: 'crash',
        when,
      } as const
      const killed = await Rig.open({dir: host.dir, faults: [fault], given, registries})
      const end = await containerdConfig.apply(killed.context).catch((error: unknown) => error)
      isCut = end instanceof CrashError
      if (isCut) cuts++
      const rig = await Rig.open({dir: host.dir, given, registries})
      expect((await rig.run(containerdConfig)).error).toBeUndefined()
      expect(await rig.inspect(containerdConfig)).toMatchObject({state: 'in-place'})
      expect(host.read(String.raw`${CERTS}\a.example\hosts.toml`)).toBe(text)
      await removeStep(containerdConfig, rig.context)
      expect(host.read(String.raw`${CERTS}\a.example\hosts.toml`)).toBe('# mine\n')
    }
  }

  expect(cuts).toBeGreaterThan(10)
})
