// review S2-9: the configuration of daemons in a bundle, by the keys that are known to hold no secret.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {knownKeys} from '../../src/bundle/known-keys.js'

const GOLDEN = join(import.meta.dirname, '../components/golden')
const WRITTEN = readdirSync(GOLDEN, {encoding: 'utf8', recursive: true}).filter((name) =>
  /(?:config\.toml|kubelet-config\.yaml|crictl\.yaml|\.conflist)$/.test(name),
)
const shown = (text: string): string => {
  const content = knownKeys(text)
  return 'document' in content ? `${JSON.stringify(content.document, undefined, 2)}\n` : Object.values(content).join('')
}

describe('review S2-9: configuration in a bundle', () => {
  test('has at least ten files to compare', () => expect(WRITTEN.length).toBeGreaterThanOrEqual(10))

  test.each(WRITTEN)('is whole as k8s-win writes it: %s', (name) => {
    const text = readFileSync(join(GOLDEN, name), 'utf8')
    expect(shown(text)).toBe(text)
  })

  test.each([
    [
      'FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_MTU=1450\r\nX=s3cr3t',
      "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_MTU=1450\nX='***'",
    ],
    ['[a]\n  any = "s3cr3t"\n  count = 3\n# s3cr3t\ns3cr3t', "[a]\n  any = '***'\n  count = 3\n***\n***"],
    [
      '[host."m".header]\n  name = "s3cr3t"\n  n = 3\n[x]\n  name = "y"',
      `[host."m".header]\n  name = '***'\n  n = '***'\n[x]\n  name = "y"`,
    ],
    ['bin_dirs = [\n  "C:\\\\k",\n]\nX = [\n  "s3cr3t",\n]', 'bin_dirs = [\n  "C:\\\\k",\n]\nX = [\n***\n]'],
    ['headers:\n  name: s3cr3t\nany: |\n  s3cr3t', "headers:\n  name: '***'\nany: '***'\n***"],
    [
      'staticPodURLHeader:\n  X: [s3cr3t]\nevictionHard:\n  memory.available: 500Mi',
      "staticPodURLHeader:\n  X: '***'\nevictionHard:\n  memory.available: 500Mi",
    ],
    ['{"name": "vxlan0", "any": "s3cr3t"', '***'],
    ['{\n  "name": "vxlan0",\n  "any": "s3cr3t",', '{\n  "name": "vxlan0",\n  "any": \'***\''],
  ])('hides the values of other keys: %j', (text, safe) => {
    expect(shown(text)).toBe(safe)
  })

  test('hides the values of other fields of a document', () => {
    const text = JSON.stringify({
      any: ['s3cr3t', 3, true],
      headers: {name: 's3cr3t'},
      name: 'x',
      plugins: [{type: 'y', x: 's3cr3t'}],
    })
    const safe = {any: ['***', 3, true], headers: '***', name: 'x', plugins: [{type: 'y', x: '***'}]}
    expect(knownKeys(text)).toEqual({document: safe})
  })
})
