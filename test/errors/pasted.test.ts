// Commands that messages offer to paste: none has a name in it that a console would act on.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it, test} from 'vitest'
import {ERRORS} from '../../src/errors/catalogue.js'
import {folderLocked, untrustedFile} from '../../src/errors/folders.js'
import {commandIn} from '../../src/errors/k8s-win-error.js'
import {pasted, pastedPath} from '../../src/errors/define.js'

const EVIL = 'x$(iex calc)'
/** Texts that k8s-win makes itself: whole commands, in which names are judged where they are made, and other fixes. */
const OWN_TEXTS = /^(?:advice|again|args|change|command|commands|fix|options|suggestion)$/
/** In quotes, on a line of its own, or after "Run:". What begins with a parameter, or is a rule of affinity, is no command. */
const COMMANDS = /"(?!x\$|kubernetes\.io)[^"\n]*"|(?<!\w)'[^'\n]*'|\n[^\n]*|\b[Rr]un: [^\n]*/g

describe('review S2-6: a command to paste', () => {
  test.each(ERRORS.map((error) => [error.id, error] as const))('of %s has no name that a user chose', (_, error) => {
    const evil = new Proxy({}, {get: (_target, name) => (OWN_TEXTS.test(String(name)) ? 'own' : EVIL)})
    const {fix} = (error as unknown as (parameters: object) => {fix: string})(evil)
    expect((fix.match(COMMANDS) ?? []).filter((command) => command.includes(EVIL))).toEqual([])
    expect(commandIn(fix) ?? '').not.toContain('$')
  })

  it('keeps names that no console acts on', () => {
    const path = String.raw`C:\k\my folder-1.x`
    expect(folderLocked({path}).fix).toContain(`takeown /a /f "${path}"`)
    expect(untrustedFile({accounts: 'x', path: String.raw`C:\k\$(iex calc)`}).fix).toContain(
      'icacls "<path>" /setowner',
    )
    expect(['win-1', 'node-csr-Ab_9', 'me@x/y', 'a b', '--all', 'a;b', '%x%', '', '@x', '/x'].map(pasted)).toEqual([
      'win-1',
      'node-csr-Ab_9',
      'me@x/y',
      ...Array.from({length: 7}, () => '<name>'),
    ])
    expect(['a"b', 'a&b', 'a`b', "a'b", 'a|b'].map(pastedPath)).toEqual(Array.from({length: 5}, () => '"<path>"'))
  })

  /** A command word, and a name after it that is neither a constant nor judged. */
  const UNJUDGED =
    /\b(?:crictl|hnsdiag|icacls|kubectl|node-name|nssm set|ren|run --rm|sc\.exe|takeown|net (?:start|stop)) [^`\n;.,(]*?\$\{(?!pasted|key\b|versions\b|[A-Z_]+[}[]|labels\b|taints\b|subject\b|ROLES\b|identity\b|startType\b)[^}]*\}/
  /** Lines of a plan and of errors of programs, which nobody pastes; names of k8s-win's own; errors, as above. */
  const OTHER =
    /^(?:errors|simulator|pipeline\/plan|bundle|host\/containerd\/programs)|smoke-test\.ts$|signatures\/services\.ts$/

  it('is nowhere made of a name that was not judged', () => {
    const files = readdirSync('src', {encoding: 'utf8', recursive: true}).filter((one) => one.endsWith('.ts'))
    const found = files
      .filter((name) => !OTHER.test(name))
      .flatMap((name) =>
        readFileSync(join('src', name), 'utf8')
          .split('\n')
          .filter((line) => UNJUDGED.test(line))
          .map((line) => `${name}: ${line.trim()}`),
      )
    expect(found).toEqual([])
  })
})
