// The two parsers of containerd and ours, on the same forms of hosts.toml: what containerd gets is what all of them read.
import {readFileSync} from 'node:fs'
import {parse} from 'smol-toml'
import {describe, expect, test} from 'vitest'
import {hasHosts, readHostsFile} from '../../../src/host/containerd/hosts-toml.js'

type Verdicts = Readonly<Record<'1.7.29' | '2.3.4', boolean>>

interface Form {
  readonly form: string
  readonly isRead: Verdicts
  readonly text: string
  /** In its place, where it is not refused. */
  readonly written?: {readonly isRead: Verdicts; readonly text: string}
}

const table = new URL('hosts-forms.json', import.meta.url)
const {forms} = JSON.parse(readFileSync(table, 'utf8')) as {readonly forms: readonly Form[]}

describe.each(forms)('review K3-1: hosts.toml with $form', ({text, written}) => {
  const found = readHostsFile(text)

  test('is refused, or written as every containerd reads it', () => {
    expect(found.written).toBe(written?.text ?? '')
    expect(found.problems.length > 0).toBe(written === undefined)
    // What an older one cannot have is a check of its own (registries).
    const isOlder = hasHosts(found.written) && !/referrers/.test(text)
    if (written) expect(written.isRead).toEqual({'1.7.29': isOlder, '2.3.4': true})
  })

  test('means the same, written again and again', () => {
    const again = readHostsFile(found.written)
    if (found.problems.length === 0) expect(again).toEqual(found)
    if (found.problems.length === 0) expect(parse(found.written)).toEqual(parse(text))
  })
})

test('review K3-1: forms that a containerd does not read, but our parser does, are among them', () => {
  const isUnread = ({isRead, written}: Form): boolean => written !== undefined && Object.values(isRead).includes(false)
  expect(forms.filter(isUnread).map(({form}) => form)).toEqual(
    expect.arrayContaining(['byte order mark', 'trailing comma in an inline table', 'escape \\x', 'escape in a key']),
  )
})
