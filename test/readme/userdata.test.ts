// The command lines of k8s-win userdata in the documentation, with digests and files in place of what stands for them there.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {k8sWin} from '../cli/program.js'
import {temporaryFolder} from '../steps/rig.js'
import {HASH, TOKEN} from '../userdata/rig.js'

const root = new URL('../../', import.meta.url)
const textOf = (page: string): string => readFileSync(new URL(page, root), 'utf8').replaceAll('\\\n', ' ')
/** Without what their output goes to, and without the usage in docs/commands.md. */
const commandsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^(?: *\$ )?(k8s-win userdata .*)$/gm)].flatMap(([, line = '']) =>
    line.includes('[FLAGS]') ? [] : [line.replace(/ > .*/, '').replaceAll(/ +/g, ' ')],
  )
const COMMANDS = ['README.md', 'docs/commands.md', 'docs/userdata.md'].flatMap((page) =>
  commandsOf(page).map((command) => [page, command] as const),
)

async function call(command: string) {
  const folder = temporaryFolder()
  const files = {
    'node.yaml': join(folder, 'node.yaml'),
    token: join(folder, 'token'),
    'win-1.iso': join(folder, 'x.iso'),
  }
  const asked = `join:\n  server: https://10.0.0.1:6443\n  caCertHashes: ["${HASH}"]\n`
  writeFileSync(
    files['node.yaml'],
    `apiVersion: k8s-win/v1\nkind: NodeConfig\n${command.includes('--server') ? '' : asked}`,
  )
  writeFileSync(files.token, `${TOKEN}\n`)
  const words = command.replaceAll('sha256:<hex>', HASH).split(' ').slice(1)
  // What would be read from standard input is in a file, too.
  const args = words.map((word) => ({...files, '-': files.token})[word] ?? word)
  return k8sWin(args)
}

describe('k8s-win userdata', () => {
  it('is found on each page', () => {
    expect(COMMANDS.map(([page]) => page)).toEqual([
      'README.md',
      ...Array.from({length: 3}, () => 'docs/commands.md'),
      ...Array.from({length: 3}, () => 'docs/userdata.md'),
    ])
  })

  it.each(COMMANDS)('%s: %s', async (_, command) => {
    const {code, stderr, stdout} = await call(command)
    const warnings = command.includes('--inline-secret') ? ['Warning: The token is in the user data.'] : []
    expect({code, warnings: stderr.match(/^.*?[.]/gm) ?? []}).toEqual({code: 0, warnings})
    expect(stdout).not.toBe('')
  })

  it('--rehearse prints what docs/userdata.md shows', async () => {
    const [, shown = ''] = /--rehearse\n```\n\n```\n([^]*?)^```/m.exec(textOf('docs/userdata.md')) ?? []
    const command = commandsOf('docs/userdata.md').find((one) => one.includes('--rehearse')) ?? ''
    expect((await call(command)).stdout).toBe(shown)
  })
})
