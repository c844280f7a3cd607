// The services of a node: registered, running, well; and where one is not, what its log tells.
import {daemonUnwell, knownFailure, serviceDown} from '../errors/sick-node.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {readDaemonWords, speakerOf} from '../pipeline/known-failure.js'
import {recognise} from '../signatures/index.js'
import {type Check, notLookedAt, pass, warn} from '../preflight/check.js'
import type {HostFacts} from '../preflight/facts.js'
import {type Daemon, DAEMONS, isRunning, isSick, logsOf, whyUnwell} from './daemon-condition.js'

const SETUP_AGAIN = 'Run "k8s-win setup" again: it mends what is not in place.'
/** The service gave a code of its own beside this one. */
const ERROR_SERVICE_SPECIFIC = 1066

export const nodeServices: Check = {
  id: 'node-services',
  async run(facts) {
    const found = await Promise.all(DAEMONS.map((daemon) => whyDown(facts, daemon)))
    const problems = found.filter((problem) => problem !== undefined)
    if (problems.length > 0) throw new ProblemsError(problems)
    const types = await Promise.all(DAEMONS.map(({service}) => facts.host.services.startType(service)))
    const manual = DAEMONS.filter((_, index) => types[index] !== 'automatic').map(({service}) => service)
    if (manual.length === 0) return pass(`${DAEMONS.map(({service}) => service).join(', ')} run`)
    return warn(`${manual.join(', ')} not started with Windows: the node is gone after a restart`, SETUP_AGAIN)
  },
  title: 'Services of the node',
}

async function whyDown(facts: HostFacts, {needs, service}: Daemon): Promise<K8sWinError | undefined> {
  const {services} = facts.host
  const [status, startType] = await Promise.all([services.status(service), services.startType(service)])
  const down = (seen: string, cause: string, fix: string): K8sWinError => serviceDown({cause, fix, seen, service})
  if (!status) return down('is not there', 'Somebody deleted it, or a setup did not come to its end.', SETUP_AGAIN)
  if (status.state === 'running') return undefined
  if (startType === 'disabled') {
    return down(
      'is disabled',
      'Somebody disabled it.',
      `Run "sc config ${service} start= auto", "net start ${service}".`,
    )
  }
  const seen = `is ${status.state}`
  if (!(await isRunning(facts, needs))) {
    return down(
      seen,
      `It does not work without ${needs}, which does not run.`,
      `Start both: "net start ${needs}", "net start ${service}".`,
    )
  }
  const {serviceExitCode, win32ExitCode: code} = status
  const told = code === ERROR_SERVICE_SPECIFIC ? `${code}, its own ${serviceExitCode}` : String(code)
  const known = code === 0 ? undefined : recognise(String(code), 'service-manager')
  return down(
    seen,
    code === 0 ? 'Somebody stopped it.' : `It ended with code ${told}. ${known?.cause ?? ''}`.trim(),
    `Start it: "net start ${service}". ${known ? `If it does not stay: ${known.fix}` : ''}`.trim(),
  )
}

export const nodeHealth: Check = {
  id: 'node-health',
  async run(facts) {
    const looked = await Promise.all(
      DAEMONS.map(async (daemon) => {
        if (daemon.health === undefined || !(await isRunning(facts, daemon.service))) return undefined
        return {daemon, said: await whyUnwell(facts, daemon), url: daemon.health}
      }),
    )
    const asked = looked.filter((one) => one !== undefined)
    const problems = asked.flatMap(({daemon: {service}, said, url}) =>
      said === undefined ? [] : [daemonUnwell({said, service, url})],
    )
    if (problems.length > 0) throw new ProblemsError(problems)
    if (asked.length === 0) return notLookedAt('not looked at, for none of them runs')
    const names = asked.map(({daemon}) => daemon.service).join(' and ')
    return pass(asked.length === 1 ? `${names} says that it is well` : `${names} say that they are well`)
  },
  title: 'Health of the daemons',
}

/** Old troubles stay in a log: only that of a daemon which ended by itself, or runs and is not well, is read. */
export const knownFailures: Check = {
  id: 'known-failures',
  async run(facts) {
    const {baseDir} = facts.config
    const sick: Daemon[] = []
    for (const daemon of DAEMONS) if (await isSick(facts, daemon)) sick.push(daemon)
    if (sick.length === 0) return pass('no daemon ended by itself, or runs and is not well')
    const told = await Promise.all(
      sick.map(async (daemon) => ({
        ...(await readDaemonWords(facts.host.files, baseDir, logsOf(facts, daemon), speakerOf(daemon.service))),
        service: daemon.service,
      })),
    )
    const problems = told.flatMap(({known, service}) => (known ? [knownFailure({...known, service})] : []))
    if (problems.length > 0) throw new ProblemsError(problems)
    return warn(
      told.map(({service, tail}) => `the log of ${service} ends with: ${tail}`).join('; '),
      `Nothing of it is known. Read on: "k8s-win logs ${told.map(({service}) => service).join(' ')}".`,
    )
  },
  title: 'Known failures in the logs',
}
