// Argument vectors as no person would write them, and those that are known to go wrong somewhere.
import fc from 'fast-check'

/** Printed with each test: LAB_SEED gives the same vectors again, and LAB_VECTORS=10000 is the long loop. */
export const SEED = Number(process.env['LAB_SEED'] ?? Math.floor(Math.random() * 1_000_000))
export const VECTORS = Number(process.env['LAB_VECTORS'] ?? 300)
// The processes that share the work have the same ones.
process.env['LAB_SEED'] = String(SEED)

/** Letters that a shell, a quoting rule or a wildcard reads; and Windows' own folder in a variable. */
const LETTERS = [...'\\" \t\n\r%^&|<>!\'`$()[]{}=;,*?/-@~#+:.aZ0ü中\u00a0\u2028\ufeff', '😀', '\\"', '\\\\', '""']
const WORDS = [
  '%SystemRoot%',
  '%PATH%',
  '%',
  '%%',
  '--',
  '-',
  '/?',
  '*',
  '*.exe',
  '@file',
  '$(calc)',
  '& calc',
  '^"',
  '"',
  '""',
  '"""',
  '\\',
  '\\\\',
  'C:\\Program Files\\',
  '\\\\server\\share\\',
  '--flag="a b"',
  'a\tb',
  'line\r\nbreak',
]

/** By number: fast-check's own list of letters takes 140 MB, and Wine copies a process before it starts another. */
const anyLetter = fc
  .oneof(fc.integer({max: 0xd7_ff, min: 1}), fc.integer({max: 0x10_ff_fe, min: 0xe0_00}))
  .map((code) => String.fromCodePoint(code))
const letter = fc.oneof({arbitrary: fc.constantFrom(...LETTERS), weight: 5}, {arbitrary: anyLetter, weight: 1})

/** Any text a process can be given: no zero, no half of a surrogate pair, no U+10FFFF. */
export const text: fc.Arbitrary<string> = fc.oneof(
  {arbitrary: fc.string({maxLength: 12, unit: letter}), weight: 8},
  {arbitrary: fc.constantFrom(...WORDS), weight: 3},
  {arbitrary: fc.string({maxLength: 300, size: 'max', unit: anyLetter}), weight: 1},
)

export const vector: fc.Arbitrary<string[]> = fc.array(text, {maxLength: 6})

/** A command line that no one quoted. */
export const line: fc.Arbitrary<string> = fc
  .string({maxLength: 40, unit: fc.constantFrom('"', '\\', ' ', '\t', 'a', 'b', '\n', 'ü')})
  .map((rest) => `x.exe ${rest}`)

/** Every word by itself, all of them together, and one of 30,000 letters. */
export const NOTABLE: readonly (readonly string[])[] = [
  ...WORDS.map((word) => [word]),
  [''],
  ['', ''],
  WORDS,
  ['a "'.repeat(7500)],
]
