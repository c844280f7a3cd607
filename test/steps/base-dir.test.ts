import {win32} from 'node:path'
import {expect, test} from 'vitest'
import {baseDir} from '../../src/steps/base-dir.js'
import {removePrograms} from '../../src/pipeline/desired/programs/own-program.js'
import {runFrom} from '../fixtures/assets.js'
import {fileChanged, fileGone} from './drifts/drift.js'
import {baseDirDrifts, givenKubeconfigDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const GIVEN = {'base-dir': String.raw`c:\node`, kubeconfig: String.raw`c:\k\kubeconfig`}

describeStep(baseDir, {drifts: baseDirDrifts})

// The folder holds the journal, which stays.
describeStep(baseDir, {
  drifts: givenKubeconfigDrifts,
  forgive: {files: /^node$/, world: ({security}) => Reflect.deleteProperty(security, String.raw`c:\node`)},
  given: GIVEN,
  title: 'base-dir, made by us for a given kubeconfig',
})

describeStep(baseDir, {
  drifts: givenKubeconfigDrifts,
  given: GIVEN,
  title: "base-dir, with a kubeconfig of the user's own where the given one goes",
  undo(host) {
    host.put(String.raw`node\kubeconfig`, 'apiVersion: v1\nkind: Config\n# mine\n')
  },
})

describeStep(baseDir, {
  drifts: [fileGone(String.raw`k\k8s-win\registries.json`), fileChanged(String.raw`k\k8s-win\registries.json`)],
  given: {release: '1.36.4'},
  registries: {
    files: [{content: 'server = "https://x.example"\n', path: String.raw`x.example\hosts.toml`}],
    problems: [],
  },
  title: 'base-dir, with the copy of --registry-config',
})

const FROM = String.raw`Windows\Temp\k8s-win.exe`
const COPY = String.raw`k\k8s-win\bin\k8s-win.exe`

// The copy stays until --purge, whose removal of it this is.
describeStep(
  {...baseDir, leaves: {claims: [], discard: removePrograms, kind: 'downloads'}},
  {
    assets: runFrom(`C:\\${FROM}`),
    drifts: [
      fileGone(COPY),
      fileChanged(COPY, 'MZ another'),
      fileChanged(COPY, 'MZ k8s-wim'),
      fileGone(win32.dirname(COPY)),
    ],
    title: 'base-dir, with the copy of a program in a temporary folder',
    undo: (host) => host.put(FROM, 'MZ k8s-win'),
  },
)

test('a copied kubeconfig is for administrators only, before its first byte is written', async () => {
  const rig = await Rig.open({given: GIVEN})
  await rig.run(baseDir)
  expect(rig.world.security[String.raw`c:\node\kubeconfig`]).toBe('O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)')
  expect(rig.effects.some((effect) => effect.what === 'setSecurity' && effect.args[0]?.endsWith('kubeconfig'))).toBe(
    false,
  )
})

test("the user's own kubeconfig stays when the base directory is removed", async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  const mine = host.read(String.raw`k\kubeconfig`)
  await rig.run(baseDir)
  await removeStep(baseDir, rig.context)
  expect(host.read(String.raw`k\kubeconfig`)).toBe(mine)
})
