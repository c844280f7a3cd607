// Docker: running, with Windows containers. It is the user's: k8s-win checks it, and never starts, stops or changes it.
import {dockerLinuxMode} from '../errors/host.js'
import {drifted, inPlace, type Step} from '../pipeline/run/step.js'

export const docker: Step = {
  runtime: 'docker',
  async apply({host}) {
    const {os} = await host.docker.version()
    throw dockerLinuxMode({os})
  },
  deadlineMs: 60_000,
  id: 'docker',
  async inspect({host}) {
    const engine = await host.docker.version()
    return engine.os === 'windows'
      ? inPlace(`Docker ${engine.version} runs Windows containers`)
      : drifted(`Docker ${engine.version} runs ${engine.os} containers`)
  },
  needs: [],
  title: 'Check Docker',
}
