// Entries that a user could write into a journal to make reset remove what is not created by k8s-win.
import fc from 'fast-check'
import type {JournalLine} from '../../../src/pipeline/ledger/journal.js'
import {KINDS} from '../../../src/pipeline/owned/kinds.js'
import {STEP_IDS} from '../../../src/config/step-ids.js'

/** Things of others, and how they can be named so that they look like k8s-win's. */
export const FOREIGN_PATHS = [
  String.raw`C:\Windows\System32\drivers\etc\hosts`,
  String.raw`C:\Users\Administrator\notes.txt`,
  String.raw`C:\etc\theirs.conf`,
  String.raw`C:\var\lib\theirs`,
  String.raw`C:\var\lib\cni\networks\theirs`,
  String.raw`C:\run\theirs\state`,
  String.raw`C:\k\theirs.txt`,
  String.raw`C:\k\cni\theirs.exe`,
  String.raw`C:\k\downloads\theirs.zip`,
  String.raw`C:\k\kubernetes\node\bin\theirs.exe`,
] as const

const ANCHORS = [
  String.raw`C:\k`,
  String.raw`C:\k\downloads`,
  String.raw`C:\k\kubernetes\node\bin`,
  String.raw`C:\var\lib\kubelet`,
  String.raw`C:\etc\kube-flannel`,
]

const below = (path: string): string => path.slice('C:\\'.length)
/** The same place by another way. */
const disguised = fc
  .record({anchor: fc.constantFrom(...ANCHORS), path: fc.constantFrom(...FOREIGN_PATHS)})
  .chain(({anchor, path}) => {
    const up = anchor.split('\\').slice(1).fill('..').join('\\')
    return fc.constantFrom(
      path,
      path.toUpperCase(),
      path.replaceAll('\\', '/'),
      `${anchor}\\${up}\\${below(path)}`,
      `${anchor}/${up.replaceAll('\\', '/')}/${below(path)}`,
      `\\\\?\\${path}`,
      `\\\\localhost\\C$\\${below(path)}`,
      `C:${below(path)}`,
      `\\${below(path)}`,
      `${path}\\`,
      `${path}.`,
      `${path}::$DATA`,
      `${path}\u0000${anchor}\\flanneld.exe`,
    )
  })

const anyPath = fc.oneof(
  {arbitrary: disguised, weight: 6},
  fc.constantFrom('C:\\', 'c:', '', '.', '..', 'C:\\etc', 'C:\\var', 'C:\\run', 'C:\\k', 'C:\\Windows', 'C:\\Users'),
  fc.string(),
)
const anyName = fc.oneof(
  fc.constantFrom('theirs', 'docker', 'hns', 'nat', 'kube-proxy', 'Path', 'PATHEXT', 'linux-1', '*', '__proto__'),
  fc.string(),
)
const anyValue = fc.oneof(anyPath, anyName, fc.jsonValue())
const anyReference = fc.oneof(
  fc.constantFrom(
    'theirs:1',
    'mcr.microsoft.com/windows/servercore:theirs?force=1',
    'a/../../containers/theirs',
    'registry.example/theirs/windows/nanoserver:latest#',
    'sha256:0000',
  ),
  fc.string(),
)

const optional = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(arbitrary, {nil: undefined})

/** Any kind, any step, and in every field what is not created by k8s-win, of the right type or of another. */
export const hostileLine: fc.Arbitrary<JournalLine> = fc
  .record({
    entry: fc.record({
      adapter: optional(anyName),
      folder: optional(anyPath),
      id: optional(fc.oneof(anyReference, fc.jsonValue())),
      kind: fc.oneof({arbitrary: fc.constantFrom(...Object.keys(KINDS)), weight: 20}, fc.string()),
      name: optional(fc.oneof(anyName, anyValue)),
      network: optional(anyName),
      path: fc.oneof({arbitrary: anyPath, weight: 8}, fc.jsonValue()),
      previous: optional(fc.oneof(anyPath, anyValue)),
      previousId: optional(anyReference),
      reference: optional(fc.oneof(anyReference, fc.jsonValue())),
      snapshot: optional(fc.jsonValue()),
      subnet: optional(anyValue),
    }),
    step: fc.oneof({arbitrary: fc.constantFrom(...STEP_IDS), weight: 20}, fc.string()),
  })
  // As it comes back from the file.
  .map((line) => JSON.parse(JSON.stringify(line)) as JournalLine)
