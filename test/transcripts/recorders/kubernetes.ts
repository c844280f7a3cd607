// The Kubernetes API as a real kube-apiserver gives it.
import {CLUSTER_OBJECTS} from '../questions/cluster-objects.js'
import {type AskCluster, askedOf, CLUSTER_QUESTIONS} from '../questions/kubernetes.js'
import {type Heard, saveGroup} from '../sink.js'
import {startApiServer} from './api-server.js'
import {buildKubernetes, KUBERNETES_SOURCE} from './kubernetes-programs.js'
import {httpPart} from './parts.js'

export async function recordKubernetes(): Promise<number> {
  const server = await startApiServer(await buildKubernetes(['etcd', 'kube-apiserver']))
  const heard: Heard[] = []
  try {
    await fill(server.ask)
    for (const question of CLUSTER_QUESTIONS) {
      const response = await server.ask(question)
      heard.push({asked: askedOf(question), name: question.name, parts: {http: httpPart(response)}})
    }
  } finally {
    await server.close()
  }

  await saveGroup(
    {name: 'kubernetes', program: 'kube-apiserver 1.20.2', replacements: [], source: KUBERNETES_SOURCE},
    heard,
  )
  return heard.length
}

async function fill(ask: AskCluster): Promise<void> {
  const put = async (method: 'PATCH' | 'POST', path: string, body: object, type?: string): Promise<void> => {
    const {body: said, status} = await ask({body, method, name: path, path, who: 'admin', ...(type && {type})})
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${said.toString('utf8')}`)
  }

  for (const {document, path, status} of CLUSTER_OBJECTS) {
    await put('POST', path, document)
    const {name} = (document as {metadata: {name: string}}).metadata
    if (status) await put('PATCH', `${path}/${name}/status`, {status}, 'application/merge-patch+json')
  }
}
