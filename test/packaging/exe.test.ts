// The parts of the single executable that need no Windows: its configuration for Node.js, and its JavaScript.
import {isBuiltin} from 'node:module'
import {beforeAll, describe, expect, it} from 'vitest'
import {EXTERNAL} from '../../packaging/esbuild-options.mjs'
import {bundleExe, type ExeBundle} from '../../packaging/exe-bundle.js'
import {seaConfig} from '../../packaging/exe.js'
import {OBEYED, REMOVED} from '../../packaging/library-variables.js'

describe('the configuration of the blob', () => {
  it('makes Node.js ignore NODE_OPTIONS', () => {
    expect(seaConfig({})).toMatchObject({execArgvExtension: 'none'})
    expect(seaConfig({})).not.toHaveProperty('execArgv')
  })

  it('has relative paths only, and nothing that V8 accepts on one platform only', () => {
    const assets = {'templates/x': 'assets/templates/x'}
    expect(seaConfig(assets)).toMatchObject({assets, main: 'main.cjs', output: 'blob'})
    expect(seaConfig(assets)).toMatchObject({useCodeCache: false, useSnapshot: false})
  })
})

describe('its JavaScript', () => {
  let bundle: ExeBundle
  beforeAll(async () => {
    bundle = await bundleExe()
  }, 180_000)

  const IMPORT = /\brequire\("([^"]+)"\)/g
  const STATIC_IMPORT = /\bimport_\w+=require\("\.\/([^"]+)"\)/g

  /** What is loaded together with a file: all that it imports, but not at run time. */
  function loadedWith(name: string): readonly string[] {
    const seen = new Set([name])
    for (const one of seen) for (const [, other = ''] of codeOf(one).matchAll(STATIC_IMPORT)) seen.add(other)
    return [...seen]
  }
  function codeOf(name: string): string {
    const code = bundle.assets.get(name)
    if (code === undefined) throw new Error(`no ${name} in the bundle`)
    return code
  }

  function fileOf(prefix: string): string {
    const files = [...bundle.assets.keys()].filter((name) => name.startsWith(prefix))
    expect(files, prefix).toHaveLength(1)
    return files[0]!
  }

  it('imports its own files and modules of Node.js, and begins with main.js', () => {
    expect(bundle.main).toContain('load("./main.js")')
    const imported = [...bundle.assets.values()].flatMap((code) =>
      [...code.matchAll(IMPORT)].map(([, name = '']) => name),
    )
    expect(imported.length).toBeGreaterThan(100)
    const isThere = (name: string): boolean =>
      name.startsWith('./') ? bundle.assets.has(name.slice(2)) : isBuiltin(name) || EXTERNAL.includes(name)
    expect(imported.filter((name) => !isThere(name))).toEqual([])
  })

  it('review V2: names no variable that is neither removed first nor known to be harmless', () => {
    const read = [...bundle.assets.values()].flatMap((code) =>
      [...code.matchAll(/process\w*(?:\.default)?\.env\.(\w+)/g)].map(([, name = '']) => name),
    )
    expect([...new Set(read)].sort()).toEqual([...OBEYED, ...REMOVED].sort())
  })

  it('review V2: begins without the variables that libraries read for their own tests', () => {
    expect(bundle.main.indexOf('deleteProperty')).toBeGreaterThan(-1)
    expect(bundle.main.indexOf('deleteProperty')).toBeLessThan(bundle.main.indexOf('load("./main.js")'))
    for (const name of REMOVED) expect(bundle.main).toContain(JSON.stringify(name))
  })

  /** A text that only this part has. */
  const MARKS = {
    commandLine: 'async function runCommandLine',
    execa: 'execaSync',
    got: 'ERR_GOT_REQUEST_ERROR',
    listr2: 'ListrErrorTypes',
    realMachine: 'function openRealMachine',
    simulator: 'function openSimulator',
  } as const

  it.each([
    ['main.js', ['commandLine', 'execa', 'got', 'listr2', 'realMachine', 'simulator']],
    ['status-', ['execa', 'got', 'listr2', 'realMachine', 'simulator']],
    ['real-', ['execa', 'got', 'simulator']],
  ] as const)('loads with %s nothing that it may not need', (prefix, parts) => {
    const loaded = loadedWith(fileOf(prefix))
    expect(parts.filter((part) => loaded.some((name) => codeOf(name).includes(MARKS[part])))).toEqual([])
  })

  it('has each of these parts once', () => {
    for (const mark of Object.values(MARKS)) {
      expect(
        [...bundle.assets.values()].filter((code) => code.includes(mark)),
        mark,
      ).toHaveLength(1)
    }
  })
})
