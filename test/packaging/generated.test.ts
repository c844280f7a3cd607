import {describe, expect, it} from 'vitest'
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import packageDocument from '../../package.json' with {type: 'json'}
import {completionScript} from '../../packaging/completion.js'
import {FILE_NAMES, sealed} from '../../packaging/release.js'

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('completion for PowerShell', () => {
  const script = completionScript(manifest)

  it('has every command with every flag and its values', () => {
    for (const [id, {flags}] of Object.entries(manifest.commands)) {
      expect(script).toContain(`'${id.replaceAll(':', ' ')}' = @{ Tip = '`)
      for (const name of Object.keys(flags)) expect(script).toContain(`@{ Name = '--${name}'; Tip = '`)
    }
    expect(script).toContain("Values = @('text', 'json', 'ndjson', 'wide')")
  })

  it('is ASCII, and every text is closed', () => {
    expect(script).toMatch(/^[\n -~]+$/)
    // A quote inside a text is doubled, so the number is even on each line that has texts.
    for (const line of script.split('\n').slice(1)) expect(line.split("'").length % 2, line).toBe(1)
  })

  it('cannot be made to run what a description says', () => {
    const hostile = {commands: {x: {flags: {y: {summary: "'; Stop-Computer; '\u2019\n$(z)"}}, summary: ''}}}
    const text = completionScript(hostile)
    expect(text).toContain("Tip = '''; Stop-Computer; ''?'; Values")
    expect(text).toContain("'x' = @{ Tip = 'x'; Flags")
  })
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
