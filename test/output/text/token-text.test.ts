import {expect, test} from 'vitest'
import {createdDocument, createdLines, listLines, setupCommand} from '../../../src/output/text/token-text.js'

const CREATED = {
  caCertHashes: [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`],
  expiresAt: '2026-11-17T12:00:00Z',
  server: 'https://10.0.0.10:6443',
  token: 'abcdef.0123456789abcdef',
}

test('the setup line has the server and every pin, and reads the token from standard input', () => {
  expect(setupCommand(CREATED)).toBe(
    String.raw`k8s-win setup -BaseDir c:\k -Server https://10.0.0.10:6443 -TokenFile - ` +
      `-CaCertHash sha256:${'a'.repeat(64)} -CaCertHash sha256:${'b'.repeat(64)}`,
  )
})

test('the document has the fields of the contract, and no other', () => {
  expect(createdDocument(CREATED, true)).toEqual({
    ...CREATED,
    command: setupCommand(CREATED),
    schemaVersion: 1,
    simulated: true,
  })
  expect(createdDocument({...CREATED, expiresAt: undefined}, false)).toMatchObject({expiresAt: null, simulated: false})
})

test('the text shows the token once, the setup line, and the manifest that is applied once per cluster', () => {
  const text = createdLines(CREATED).join('\n')
  expect(text.split(CREATED.token)).toHaveLength(2)
  expect(text).toContain(setupCommand(CREATED))
  expect(text).toContain('k8s-win manifest node-access | kubectl apply -f -')
  expect(createdLines({...CREATED, expiresAt: undefined})).toContain('Expires:  never')
})

const LISTED = {description: '', expiresAt: null, groups: [], id: 'abcdef', ttlSeconds: null, usages: []}

test.each([
  [59, '59s'],
  [3599, '59m'],
  [86_399, '23h59m'],
  [7 * 86_400 + 3600, '7d1h'],
  [0, 'expired'],
])('%i seconds are left: %s', (ttlSeconds, shown) => {
  expect(listLines([{...LISTED, expiresAt: '2026-11-17T12:00:00Z', ttlSeconds}])[1]).toMatch(
    new RegExp(`^abcdef {2}${shown} +2026-11-17T12:00:00Z `),
  )
})

test('a list is a table; text of others cannot change the terminal', () => {
  expect(listLines([])).toEqual(['The cluster has no bootstrap tokens.'])
  const [head, row] = listLines([{...LISTED, description: 'a\u001B[2Jb', usages: ['signing']}])
  expect(head).toMatch(/^ID +TTL +EXPIRES +USAGES +GROUPS +DESCRIPTION$/)
  expect(row).toMatch(/^abcdef +never +never +signing +- +a/)
  expect(row).not.toContain('\u001B')
})
