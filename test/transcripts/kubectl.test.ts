// Our reader of kubeconfigs beside kubectl: it reads what kubectl shows, and refuses what kubectl refuses.
import {describe, expect} from 'vitest'
import {type Kubeconfig, readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {check, everyChangeIsSeen} from './checks.js'
import {bytesOf, idsOf, recording, textOf} from './corpus.js'
import {KUBECTL_COMMANDS, KUBECTL_FILES, UNRECORDED} from './questions/kubectl.js'

const read = (content: Buffer): Promise<Kubeconfig> => readKubeconfig('/lab/kubeconfig', content, async () => undefined)
/** What kubectl printed, where it refused nothing. */
const shown = (id: string): Promise<Kubeconfig> => {
  expect(recording(id).exitCode).toBe(0)
  return read(bytesOf(recording(id), 'out'))
}

check('every question has its recording', () => {
  const asked = KUBECTL_COMMANDS.map(([name]) => name).filter((name) => name !== UNRECORDED)
  expect(idsOf('kubectl').sort()).toEqual(asked.map((name) => `kubectl/${name}`).sort())
})

describe('what kubectl shows', () => {
  for (const name of ['view-raw', 'view-flat']) {
    check(`is read: ${name}`, async () => {
      expect(await shown(`kubectl/${name}`)).toMatchObject({
        ca: KUBECTL_FILES['ca.crt'],
        server: 'https://10.0.0.10:6443',
        tls: {serverName: 'kubernetes'},
        token: 'not-a-token',
      })
    })
  }

  for (const [name, file] of [
    ['view-exec', 'exec'],
    ['view-unknown-field', 'unknown-field'],
  ] as const) {
    check(`is what it was made of: ${name}`, async () => {
      const {key: _key, write: _write, ...made} = await read(Buffer.from(KUBECTL_FILES[file]))
      expect(await shown(`kubectl/${name}`)).toMatchObject(made)
    })
  }

  for (const [name, why] of [
    ['view', 'its certificate authority is not a PEM certificate'],
    ['view-json', 'its certificate authority is not a PEM certificate'],
    ['view-empty', 'it has no current-context'],
    ['view-missing', 'it has no current-context'],
  ] as const) {
    check(`is refused where it holds nothing to use: ${name}`, async () => {
      // Nothing of it is used, but its kind is kubectl's.
      expect(textOf(recording(`kubectl/${name}`), 'out')).toMatch(/^[ "]*apiVersion"?: "?v1"?,?$/m)
      await expect(shown(`kubectl/${name}`)).rejects.toThrow(why)
    })
  }
})

describe('what kubectl refuses, so do we', () => {
  for (const [name, file, theirs, ours] of [
    ['view-bad-base64', 'bad-base64', 'illegal base64 data', 'its certificate-authority-data is not'],
    ['view-no-context', 'no-context', 'cannot locate context nowhere', 'its current-context is not among its contexts'],
    [
      'view-no-such-file',
      'no-file',
      'open /lab/gone.crt: no such file',
      'it names /lab/gone.crt, which does not exist',
    ],
    ['view-no-yaml', 'no-yaml', 'yaml: line 3: mapping values are not allowed', 'it is not YAML: line 2'],
    ['view-other-kind', 'other-kind', 'no kind "Pod" is registered', 'its apiVersion and kind are not v1 an'],
  ] as const) {
    check(name, async () => {
      const entry = recording(`kubectl/${name}`)
      expect(entry.exitCode).toBe(1)
      expect(textOf(entry, 'err')).toMatch(/^error: /)
      expect(textOf(entry, 'err')).toContain(theirs)
      await expect(read(Buffer.from(KUBECTL_FILES[file]))).rejects.toThrow(ours)
    })
  }
})

everyChangeIsSeen(['kubectl'])
