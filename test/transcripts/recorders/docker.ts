// Debian's dockerd with a registry on loopback: its answers to our questions.
import {hostname, release} from 'node:os'
import {candidateVersion} from '../../lab/debian-packages.js'
import {openRealLab} from '../../lab/docker/real-lab.js'
import {askDocker} from '../questions/docker.js'
import {type Heard, type Replacement, saveGroup} from '../sink.js'
import {httpPart, literally} from './parts.js'

const OF_THE_LAB: readonly Replacement[] = [
  {
    by: 'registry.example:5000',
    pattern: /127\.0\.0\.1(?::|%3A)\d+/g,
    told: 'the address of the registry: registry.example:5000',
  },
  {by: '/lab/engine', pattern: /\/[\w./-]*k8s-win-docker-\w+/g, told: "the engine's folder: /lab/engine"},
]

export async function recordDocker(): Promise<number> {
  const heard: Heard[] = []
  const lab = await openRealLab()
  try {
    await askDocker(lab, ({asked, name, response}) => heard.push({asked, name, parts: {http: httpPart(response)}}))
  } finally {
    await lab.close()
  }

  await saveGroup(
    {
      name: 'docker',
      program: 'dockerd 20.10.24',
      replacements: [
        ...OF_THE_LAB,
        ...literally(hostname(), 'lab', "the machine's name"),
        ...literally(release(), '6.1.0', "the kernel's version"),
      ],
      source: `Debian 12, package docker.io ${await candidateVersion('docker.io')}`,
    },
    heard,
  )
  return heard.length
}
