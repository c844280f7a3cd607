// Hostile values: they arrive as they were given, through every form and its parsers, or they are refused.
import {DOMParser, onWarningStopParsing} from '@xmldom/xmldom'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {splitCommandLine} from '../../src/machine/command-line.js'
import {batchWord, whyNotQuotable} from '../../src/runs/userdata/quote.js'
import {expand, parse} from './cmd.js'
import {FORMS} from './forms.js'
import {open} from './opened.js'
import {DIGEST, PROGRAM, refusals, URL_OF_PROGRAM, userdataFor, userdataOf} from './rig.js'
import '../fixed-seed.js'

/** What cmd.exe, YAML, JSON, MIME and tags know, and what a program's start-up code does. */
const PIECES = [
  ...'%!^&|<>()"\'`\\/ ,;=:#{}[]*?~@$\t\n\r',
  ...['%%', '%PATH%', '%1', '%*', '!PATH!', '\\\\', '\\"', ' & exit /b 0', '&&', '^', ' -- ', ': ', ' #', '- ', '<b'],
  ...['</script>', '<powershell>', '{{ x }}', '${x}', '\u00A0', 'ä', '中', '\u{1F600}', '\0', '\u0085', '\u2028'],
  ...['--boundary', 'rem cmd', '#cloud-config', 'Content-Type: multipart/mixed', '1e3', 'yes', 'null'],
]
const hostile = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({maxLength: 4})), {maxLength: 8})
const text = hostile.map((pieces) => pieces.join(''))

const isPlain = (value: string): boolean =>
  /^[\u0020-\u007E]*$/.test(value) && !/"|<[!/?a-z]|content-type: *multipart/i.test(value)

describe('a word', () => {
  it('is what the program gets, and ends no command', () => {
    const arrives = (words: readonly string[]): void => {
      fc.pre(words.every((word) => whyNotQuotable(word) === undefined))
      const line = [String.raw`"C:\Program Files\x.exe"`, ...words.map((word) => batchWord(`--x=${word}`))].join(' ')
      const commands = parse(expand(line, new Map([['PATH', 'C:\\']])))
      expect(commands.map(({to}) => to)).toEqual([undefined])
      expect(splitCommandLine(commands[0]?.text ?? '').slice(1)).toEqual(words.map((word) => `--x=${word}`))
    }
    fc.assert(fc.property(fc.array(text, {maxLength: 4, minLength: 1}), arrives), {numRuns: 20_000})
  })

  it('is refused exactly where it cannot be written', () => {
    fc.assert(
      fc.property(text, (value) => (whyNotQuotable(value) === undefined) === isPlain(value)),
      {numRuns: 20_000},
    )
  })

  it.each(['%', '100%', '%PATH%', 'a\\', 'a\\\\', 'a b\\', '!x!', 'a^b', 'a&b|c>d<5', "it's", '', ' '])(
    'arrives: %j',
    (value) => {
      const line = `"C:\\x.exe" ${batchWord(`--x=${value}`)}`
      expect(splitCommandLine(parse(expand(line, new Map()))[0]?.text ?? '')).toEqual(['C:\\x.exe', `--x=${value}`])
    },
  )
})

describe.each(FORMS)('through $name', ({cloud, options}) => {
  it('a value of an option arrives, or all of it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        // Blank names, and a value that is only separators, are not valid for setup itself.
        fc.pre(value.trim() !== '')
        const argv = [...options, `--interface-name=${value}`]
        if (!isPlain(value)) {
          expect((await refusals(userdataOf(cloud, argv))).map(({id}) => id)).toContain('USERDATA_UNQUOTABLE')
          return
        }
        const started: (readonly string[])[] = []
        const world = {
          download: (url: string) => (url === URL_OF_PROGRAM ? PROGRAM : undefined),
          files: new Map<string, string>(),
          program: (args: readonly string[]) => {
            started.push(args)
            return 0
          },
        }
        const {exitCode} = open(await userdataOf(cloud, argv), world)
        expect(exitCode).toBe(0)
        expect(started).toHaveLength(1)
        expect(started[0]?.slice(0, 1)).toEqual(['setup'])
        expect(started[0]).toContain(`--interface-name=${value}`)
      }),
      {numRuns: 60},
    )
  })
})

/** AWS calls it XML, but its agents cut at the tags: a script may have "&" and "<". */
it('between the tags of EC2Launch is the script, cut at its tags or read as XML', async () => {
  const printable = fc.string({minLength: 1, unit: fc.constantFrom(...'&<>%^|;=/ !-]abc[script')})
  const read = {asXml: 0, cut: 0}
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, printable), async (value) => {
      fc.pre(isPlain(value) && value.trim() !== '')
      const {userdata} = await userdataOf('aws', [`--interface-name=${value}`])
      const [whole = '', script = ''] = /<script>([^]*?)<\/script>/.exec(userdata) ?? []
      expect(`${whole}\r\n`).toBe(userdata)
      expect(script).toContain('\r\nexit /b 5\r\n')
      read.cut++
      if (/[&<]|]]>/.test(value)) return
      const {documentElement} = new DOMParser({onError: onWarningStopParsing}).parseFromString(userdata, 'text/xml')
      // XML has LF at the end of every line.
      expect([documentElement?.nodeName, documentElement?.textContent]).toEqual([
        'script',
        script.replaceAll('\r\n', '\n'),
      ])
      read.asXml++
    }),
    {numRuns: 150},
  )
  expect(Math.min(read.asXml, read.cut - read.asXml)).toBeGreaterThan(20)
})

it.each([
  'http://example.com/k8s-win.exe',
  'ftp://example.com/x',
  'example.com/k8s-win.exe',
  'https://user:secret@example.com/k8s-win.exe',
  '',
])('an address that is refused: %s', async (url) => {
  const problems = await refusals(userdataFor(['aws', `--program-url=${url}`, `--program-digest=sha256:${DIGEST}`]))
  expect(problems.map(({id}) => id)).toEqual(['BAD_VALUE'])
  for (const {message, reason} of problems) expect(message + reason).not.toContain('secret')
})

it('an address arrives as it is written in URLs', async () => {
  const url = 'https://example.com/a b/100%/{x}/[1]?q="&x=%41\'(1)'
  const document = await userdataFor(['gce', '--program-url', url, '--program-digest', `sha256:${DIGEST}`])
  const asked: string[] = []
  open(document, {
    download: (address) => {
      asked.push(address)
      return PROGRAM
    },
    files: new Map(),
    program: () => 0,
  })
  expect(asked).toEqual([new URL(url).href])
  expect(document.warnings.filter((text) => text.includes('query'))).toHaveLength(1)
})
