// Docker: running, with Windows containers. It is the user's: k8s-win checks it, and never starts, stops or changes it.
import {dockerLinuxMode, dockerStopped} from '../errors/host.js'
import type {EngineVersion} from '../host/docker/api.js'
import {HttpError} from '../machine/http.js'
import {drifted, inPlace, type Step, type StepContext} from '../pipeline/run/step.js'

export const docker: Step = {
  runtime: 'docker',
  async apply(context) {
    const {os} = await askEngine(context)
    throw dockerLinuxMode({os})
  },
  deadlineMs: 60_000,
  id: 'docker',
  async inspect(context) {
    const engine = await askEngine(context)
    return engine.os === 'windows'
      ? inPlace(`Docker ${engine.version} runs Windows containers`)
      : drifted(`Docker ${engine.version} runs ${engine.os} containers`)
  },
  needs: [],
  title: 'Check Docker',
}

/** One that stopped after the checks is not a server that cannot be reached. */
async function askEngine({config, host}: StepContext): Promise<EngineVersion> {
  try {
    return await host.docker.version()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw dockerStopped({pipe: config.dockerPipe, reason: error.message}, {cause: error})
  }
}
