// "k8s-win completion": a script per shell, with commands, flags and values; that of bash is run by bash.
import {spawnSync} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {k8sWin} from './program.js'

const scriptOf = async (shell: string): Promise<string> => (await k8sWin(['completion', shell])).stdout

/** What bash offers for the last of these words. */
function offered(script: string, words: readonly string[]): string[] {
  const typed = ['k8s-win', ...words].map((word) => `'${word}'`).join(' ')
  const call = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _k8s_win; printf '%s\\n' "\${COMPREPLY[@]}"`
  const {stderr, stdout} = spawnSync('bash', ['--norc', '-c', `${script}\n${call}`], {encoding: 'utf8'})
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

describe('review U2-24: completion', () => {
  it.each([
    [['sta'], ['start', 'status']],
    [
      ['token', ''],
      ['create', 'delete', 'list'],
    ],
    [
      ['setup', '--base-'],
      ['--base-dir', '--base-images'],
    ],
    [
      ['setup', '--simulate', 'ws2022'],
      ['ws2022', 'ws2022-containerd'],
    ],
    [['status', '-o', 'w'], ['wide']],
    [['token', 'create', '--ttl'], ['--ttl']],
    // No word: "complete -o default" then completes file names.
    [['setup', '--kubeconfig', ''], ['']],
    [['setup', '--base-dir', ''], ['']],
    [['setup', '-BaseDir', ''], ['']],
    [['setup', '--kubeconfig', '=', '/et'], ['']],
    [['token', 'create', '--ttl', ''], ['']],
    [['setup', '--yes', '='], ['']],
    [['setup', '--yes='], ['']],
    [
      ['setup', '--output', ''],
      ['json', 'ndjson', 'text'],
    ],
    [
      ['status', '--output', ''],
      ['json', 'ndjson', 'text', 'wide'],
    ],
    [
      ['logs', '--output', ''],
      ['json', 'ndjson', 'raw', 'text'],
    ],
    // bash makes words of "--runtime=con" as "=" is in COMP_WORDBREAKS; zsh does not.
    [['setup', '--runtime', '=', 'con'], ['containerd']],
    [
      ['setup', '--runtime', '='],
      ['auto', 'containerd', 'docker'],
    ],
    [['setup', '--runtime=con'], ['--runtime=containerd']],
    [
      ['completion', ''],
      ['bash', 'powershell', 'zsh'],
    ],
    [
      ['logs', 'kube'],
      ['kubelet', 'kubeproxy'],
    ],
    [['setup', '--yes', '--base-d'], ['--base-dir']],
  ])('bash offers for %j: %j', async (words, wanted) => {
    expect(offered(await scriptOf('bash'), words).sort()).toEqual(wanted)
  })

  it('PowerShell has the names of both styles, and values', async () => {
    const script = await scriptOf('powershell')
    for (const name of ['--base-dir', '-BaseDir']) expect(script).toContain(`@{ Name = '${name}'; `)
    expect(script).toContain("'ws2022-containerd'")
    expect(script).not.toContain('run-detached')
    expect(script).toContain("Arguments = @('powershell', 'bash', 'zsh') }")
  })

  it('the help says which PowerShell completes -BaseDir', async () => {
    const {stdout} = await k8sWin(['completion', '--help'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(-BaseDir) are completed in PowerShell 7 (pwsh) only')
  })

  it('zsh reads that of bash', async () => {
    const [bash, zsh] = [await scriptOf('bash'), await scriptOf('zsh')]
    expect(zsh.endsWith(bash)).toBe(true)
    expect(zsh).toContain('bashcompinit')
  })

  it.each([[[]], [['fish']], [['bash', 'zsh']]])('%j: exit 2', async (args) => {
    const {code, stderr, stdout} = await k8sWin(['completion', ...args])
    expect({code, stdout}).toEqual({code: 2, stdout: ''})
    expect(stderr).toContain('BAD_CHOICE')
  })
})
