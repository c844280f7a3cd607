// What somebody must know before a first try stands on the README's first screen.
import {readFileSync} from 'node:fs'
import {expect, it} from 'vitest'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const firstScreen = README.split('\n').slice(0, 16).join('\n')

it('review U4: no real Windows has run it, and which releases are end-of-life', () => {
  expect(firstScreen).toContain('it has not run on a real Windows yet')
  const [, sentence] = /\*\*Kubernetes ([^*]*) are end-of-life upstream\*\*/.exec(firstScreen) ?? []
  // kubernetes.io/releases/patch-releases: 1.21 to 1.23 ended in 2022 and 2023, and are all that this version sets up.
  for (const release of ['1.21', '1.22', '1.23']) expect(sentence).toContain(release)
})

it('review S17: it promises no more than is verified', () => {
  expect(README).not.toContain('Nothing unverified is executed')
  expect(README).toMatch(/base images are pulled by tag/)
})
