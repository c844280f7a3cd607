// Debian's kubectl: how it shows the kubeconfigs it wrote, and which it refuses.
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {candidateVersion} from '../../lab/debian-packages.js'
import {openKubectl} from '../../lab/kubeconfig/kubectl.js'
import {KUBECTL_COMMANDS, KUBECTL_FILES, UNRECORDED} from '../questions/kubectl.js'
import {type Heard, saveGroup} from '../sink.js'

export async function recordKubectl(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-kubeconfig-'))
  const heard: Heard[] = []
  try {
    for (const [name, content] of Object.entries(KUBECTL_FILES)) await writeFile(path.join(folder, name), content)
    const kubectl = await openKubectl(path.join(folder, 'home'))
    for (const [name, file, ...rest] of KUBECTL_COMMANDS) {
      const args = rest.map((arg) => arg.replace('=ca.crt', `=${path.join(folder, 'ca.crt')}`))
      const full = ['config', ...args, '--kubeconfig', path.join(folder, file)]
      const {code, stderr, stdout} = await kubectl(full)
      if (name === UNRECORDED) continue
      heard.push({
        asked: ['kubectl', ...full].join(' '),
        exitCode: code,
        name,
        parts: {err: Buffer.from(stderr), out: Buffer.from(stdout)},
      })
    }
  } finally {
    await rm(folder, {force: true, recursive: true})
  }

  await saveGroup(
    {
      name: 'kubectl',
      program: 'kubectl 1.20.2',
      replacements: [
        {
          by: '/lab',
          pattern: new RegExp(folder.replaceAll('.', String.raw`\.`), 'g'),
          told: 'the folder of the kubeconfigs: /lab',
        },
      ],
      source: `Debian 12, package kubernetes-client ${await candidateVersion('kubernetes-client')}`,
    },
    heard,
  )
  return heard.length
}
