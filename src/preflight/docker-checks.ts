// Docker: installed, running, with Windows containers, and not too new for the kubelet's dockershim.
import {dockerAbsent, dockerLinuxMode, dockerStopped, dockerTooNew} from '../errors/host.js'
import {compareApi, type EngineVersion} from '../host/docker-api.js'
import {HttpError} from '../machine/http.js'
import {type Check, pass} from './check.js'
import type {HostFacts} from './facts.js'

/** dockershim of 1.21 to 1.23 speaks this version and no other. */
const DOCKERSHIM_API = '1.41'

export const docker: Check = {
  id: 'docker',
  async run(facts) {
    const engine = await askEngine(facts)
    if (engine.os !== 'windows') throw dockerLinuxMode({os: engine.os})
    if (compareApi(engine.minApiVersion, DOCKERSHIM_API) > 0) {
      throw dockerTooNew({minimum: engine.minApiVersion, release: facts.config.release.text, version: engine.version})
    }

    return pass(`Docker ${engine.version} with Windows containers`)
  },
  title: 'Docker',
}

async function askEngine(facts: HostFacts): Promise<EngineVersion> {
  const pipe = facts.config.dockerPipe
  try {
    return await facts.docker()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const service = await facts.host.services.status('docker')
    if (!service) throw dockerAbsent({pipe}, {cause: error})
    throw dockerStopped({pipe, reason: `the service is ${service.state}, the pipe says ${error.code}`}, {cause: error})
  }
}
