import {execFileSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import packageDocument from '../../package.json' with {type: 'json'}
import {completionScript} from '../../src/cli/arguments/completion-script.js'
import {FILE_NAMES, sealed} from '../../packaging/release.js'

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('completion for PowerShell', () => {
  const script = completionScript(manifest)

  it('has every command with every flag and its values', () => {
    const shown = Object.entries(manifest.commands).filter(([id]) => id !== 'run-detached')
    expect(script).not.toContain('run-detached')
    for (const [id, {flags}] of shown) {
      expect(script).toContain(`'${id.replaceAll(':', ' ')}' = @{ Tip = '`)
      for (const name of Object.keys(flags)) expect(script).toContain(`@{ Name = '--${name}'; Tip = '`)
    }
    expect(script).toContain("Choices = @('text', 'json', 'ndjson', 'wide')")
  })

  it('offers no flag where a value is expected', () => {
    const rowOf = (name: string) => script.split('\n').find((line) => line.includes(`Name = '--${name}'`))
    expect(rowOf('config')).toMatch(/; Choices = @\(\) }$/)
    expect(rowOf('yes')).toMatch(/; Choices = \$null }$/)
  })

  it('is ASCII, and every text is closed', () => {
    expect(script).toMatch(/^[\n -~]+$/)
    // A quote inside a text is doubled, so the number is even on each line that has texts.
    for (const line of script.split('\n').slice(1)) expect(line.split("'").length % 2, line).toBe(1)
  })

  it('cannot be made to run what a description says', () => {
    const hostile = {
      commands: {
        x: {flags: {y: {options: ["'"], type: 'option', summary: "'; Stop-Computer; '\u2019\n$(z)"}}, summary: ''},
      },
    }
    const text = completionScript(hostile)
    expect(text).toContain("Tip = '''; Stop-Computer; ''?'; Choices = @('''')")
    expect(text).toContain("'x' = @{ Tip = 'x'; Flags")
  })
})

it('review U2-24: the npm package, and so the zip, has the program and no source maps', () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const args = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', args, {cwd, encoding: 'utf8'})) as [{files: {path: string}[]}]
  const paths = packed.files.map(({path}) => path)
  expect(paths).toContain('dist/cli/main.js')
  expect(paths.filter((path) => path.endsWith('.map'))).toEqual([])
})

describe('what is published together', () => {
  const files = new Map([[FILE_NAMES.exe, Buffer.alloc(0)]])

  it('has a manifest for scoop where its address is known, with the digest of the executable', () => {
    const manifestOf = (url: string) =>
      JSON.parse(sealed(files, url).get(FILE_NAMES.scoop)!.toString()) as Record<string, unknown>
    for (const url of ['https://host.example/v1', 'https://host.example/v1/']) {
      expect(manifestOf(url)).toMatchObject({
        architecture: {'64bit': {hash: EMPTY, url: 'https://host.example/v1/k8s-win.exe'}},
        bin: 'k8s-win.exe',
        license: packageDocument.license,
        version: packageDocument.version,
      })
    }
    expect(sealed(files).has(FILE_NAMES.scoop)).toBe(false)
  })

  it('names a home page that is there: of a release on GitHub, or the folder', () => {
    const homeOf = (url: string): unknown =>
      (JSON.parse(sealed(files, url).get(FILE_NAMES.scoop)!.toString()) as {homepage: unknown}).homepage
    expect(homeOf('https://host.example/v1')).toBe('https://host.example/v1/')
    expect(homeOf('https://github.com/o/r/releases/download/v1')).toBe('https://github.com/o/r/releases/tag/v1')
  })

  it('has checksums of everything but themselves, also when it is sealed once more', () => {
    const twice = sealed(sealed(files, 'https://host.example/'), 'https://host.example/')
    const names = twice
      .get(FILE_NAMES.sums)!
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.slice(66))
    expect(names).toEqual([FILE_NAMES.exe, FILE_NAMES.scoop])
  })
})
