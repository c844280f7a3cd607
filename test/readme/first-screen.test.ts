// What a user must know before a first try is on the README's first screen, and the whole page is short.
import {readdirSync, readFileSync} from 'node:fs'
import {expect, it} from 'vitest'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const firstScreen = README.split('\n').slice(0, 16).join('\n')

it('review U4: no real Windows has run it, and which releases are end-of-life', () => {
  expect(firstScreen).toContain('it has not run on a real Windows yet')
  const [, sentence] = /\*\*Kubernetes ([^*]*) are end-of-life upstream\*\*/.exec(firstScreen) ?? []
  // kubernetes.io/releases/patch-releases: 1.34 ended on 2026-10-27, 1.35 ends on 2027-02-28.
  expect(sentence).toBe('1.34 and older')
})

it('review S17: it promises no more than is verified', () => {
  expect(README).not.toContain('Nothing unverified is executed')
  expect(README).toMatch(/base images are pulled by tag/)
})

it('review U12: it has at most 300 lines, with a section for each question of a new user', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(300)
  const sections = [...README.matchAll(/^#{2,3} (.+)$/gm)].map(([, title]) => title)
  expect(sections).toEqual([
    'Is it for you?',
    'Supported releases',
    'Try it',
    'Prerequisites',
    'How to choose',
    'Install',
    'Step by step',
    '1. Prepare the control plane (once per cluster)',
    '2. Check the host',
    '3. Set up the node',
    '4. Check the node',
    '5. Undo',
    'Documentation',
    'Development',
    'License',
  ])
  for (const command of ['setup', 'status', 'reset']) expect(README).toMatch(new RegExp(`^k8s-win ${command}\\b`, 'm'))
})

it('review P3-6: it says what it is not for, what else there is, and which pages serve which purpose', () => {
  const [, choice = ''] = /^## Is it for you\?$([^]*?)^## /m.exec(README) ?? []
  for (const word of ['RKE2', 'k0s', 'many nodes', 'no:']) expect(choice).toContain(word)
  const [, paths = ''] = /^## Documentation$([^]*?)^All pages:$/m.exec(README) ?? []
  const purposes = paths.split('\n').filter((line) => /^\| (?!---|you want)/.test(line))
  expect(purposes.length).toBeGreaterThanOrEqual(5)
  for (const line of purposes) expect(line.match(/\]\(/g)?.length).toBeGreaterThanOrEqual(3)
})

it('review U12: it links to every page, where the rest is', () => {
  const pages = readdirSync(new URL('../../docs', import.meta.url)).flatMap((name) =>
    name.endsWith('.md') ? `docs/${name}` : [],
  )
  const missing = ['CONTRIBUTING.md', ...pages].filter((page) => !README.includes(`](${page})`))
  expect(missing).toEqual([])
  expect(pages.length).toBeGreaterThan(10)
})

it('review U2-24: it has every command that makes what it installs, the manifest for scoop too', () => {
  const [, install = ''] = README.split(/^## Install$/m)
  for (const line of [
    /^npm ci && npm run package$/m,
    /`npm run package:seal -- <release>`/,
    /scoop install <release>\/k8s-win\.json/,
  ])
    expect(install).toMatch(line)
})
