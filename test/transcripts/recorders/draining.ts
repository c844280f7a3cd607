// Evictions, as a real API server with the disruption controller answers them.
import {type Caller, startControlPlane, waitUntil} from '../../cluster/control-plane.js'
import {nodeIdentity} from '../../cluster/node-identity.js'
import {budget, budgetsPath, pod, WINDOWS_NODE} from '../../cluster/objects.js'
import {askedByDrainer, BUDGETS, DRAINED_PODS, type Drainer, DRAINING_QUESTIONS} from '../questions/draining.js'
import {TOKENS} from '../questions/joining.js'
import {type Heard, saveGroup} from '../sink.js'
import {KUBERNETES_SOURCE} from './kubernetes-programs.js'
import {httpPart} from './parts.js'

const PODS = '/api/v1/namespaces/default/pods'

export async function recordDraining(): Promise<number> {
  const plane = await startControlPlane()
  const heard: Heard[] = []
  try {
    await plane.do({body: WINDOWS_NODE, method: 'POST', path: '/api/v1/nodes'})
    for (const {app, name, node} of DRAINED_PODS) {
      await waitUntil('a service account', () => plane.do({body: pod(name, app, node), method: 'POST', path: PODS}))
      const status = {conditions: [{status: 'True', type: 'Ready'}], phase: 'Running'}
      const type = 'application/merge-patch+json'
      await plane.do({body: {status}, method: 'PATCH', path: `${PODS}/${name}/status`, type})
    }

    const path = budgetsPath(plane.minor)
    for (const {allowed, app, minAvailable, name} of BUDGETS) {
      await plane.do({body: budget(plane.minor, name, app, minAvailable), method: 'POST', path})
      await waitUntil(`the budget ${name}`, async () => {
        const {status} = (await plane.do({path: `${path}/${name}`})) as {status: {disruptionsAllowed: number}}
        return status.disruptionsAllowed === allowed || undefined
      })
    }

    const callers: Readonly<Record<Drainer, Caller>> = {
      admin: plane.admin,
      node: await nodeIdentity(plane, 'win-1', {token: TOKENS.token}),
      token: {token: TOKENS.token},
    }
    for (const question of DRAINING_QUESTIONS) {
      const response = await plane.ask({...question, as: callers[question.who]})
      heard.push({asked: askedByDrainer(question), name: question.name, parts: {http: httpPart(response)}})
    }
  } finally {
    await plane.close()
  }

  await saveGroup(
    {
      name: 'draining',
      program: 'kube-apiserver and kube-controller-manager 1.20.2',
      replacements: [],
      source: KUBERNETES_SOURCE,
    },
    heard,
  )
  return heard.length
}
