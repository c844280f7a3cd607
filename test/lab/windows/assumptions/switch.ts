// Assumptions about the switch over an adapter, each read off the one experiment.
import {changing, compared, notSettled, type Settler, type Verdict} from './settler.js'
import {hex} from './hns-calls.js'
import {NotHere, type SwitchSeen} from './switch-experiment.js'

const IN_USE = 0x803b002c

const fromExperiment = (judge: (seen: SwitchSeen) => Verdict): Settler =>
  changing(async ({switchSeen}) => {
    try {
      const seen = await switchSeen()
      const verdict = judge(seen)
      // Loud, and on every one of them: the host needs attention.
      return seen.lost.length === 0 ? verdict : notSettled(`THE HOST LOST: ${seen.lost.join('; ')}`)
    } catch (error) {
      if (error instanceof NotHere) return notSettled(error.message)
      throw error
    }
  })

/** Numbers of one host are not those of another: a third to three times is the same. */
const isNear = (seen: number, assumed: number): boolean => seen >= assumed / 3 && seen <= assumed * 3
const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export const switchOffline = fromExperiment(({callMs, offlineMs}) => {
  const assumed = 'a cut of 7 s, and a call of 4 s'
  if (offlineMs === undefined) return compared(false, 'the address did not come back in 2 minutes', assumed)
  const seen = `a cut of ${inSeconds(offlineMs)}, and a call of ${inSeconds(callMs)}`
  return compared(isNear(offlineMs, 7000) && isNear(callMs, 4000), seen, assumed)
})

export const switchRemoved = fromExperiment(({after, before, physical, removedMs}) => {
  const [was, is] = [before, after].map((adapters) => adapters.find(({name}) => name === physical))
  const told = is ? `${physical} with index ${is.index} (was ${was?.index})` : names(after)
  const cut = removedMs === undefined ? 'no address in 2 minutes' : `a cut of ${inSeconds(removedMs)}`
  const isSame = is !== undefined && is.index === was?.index && removedMs !== undefined && removedMs > 500
  return compared(isSame, `${told}, ${cut}`, 'the old name and index, after another cut')
})

export const hnsNetworkInUse = fromExperiment(({inUse}) => {
  if (!inUse) return notSettled('HNS made no endpoint with a load balancer')
  return compared(inUse.code === IN_USE, `${hex(inUse.code)} ${inUse.response}`, hex(IN_USE))
})

export const hnsRestart = fromExperiment(({restart}) => {
  if (!restart) return notSettled('HNS was not restarted: the network was not in use, or it did not come back')
  const {endpoints, networks, policyLists} = restart
  const seen = `${policyLists} policy lists, ${endpoints} endpoints, of ours the networks ${networks.join(', ') || 'none'}`
  const isSame = policyLists > 0 && !networks.includes('k8s-win-lab-1') && networks.includes('k8s-win-lab-2')
  return compared(isSame, seen, 'the policy lists, not k8s-win-lab-1 (not persistent), but k8s-win-lab-2')
})

const names = (adapters: SwitchSeen['before']): string =>
  adapters.map(({index, name}) => `${name} (${index})`).join(', ')
