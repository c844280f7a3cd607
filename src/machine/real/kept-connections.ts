// Connections that stay open between requests. Without got, which takes long to load: a run that sent nothing ends them, too.
import type {Agents} from 'got'

/** By a digest of server, proxy, trust and certificate, which belong to a connection; a token belongs to a request. */
export type KeptConnections = Map<string, Agents>

/** What is in use ends its answer first: it is not used again. */
export function drop(kept: KeptConnections): void {
  const agents = [...kept.values()].flatMap(({http, https}) => [http, https])
  kept.clear()
  for (const agent of agents) {
    const free = (agent && 'freeSockets' in agent ? agent.freeSockets : undefined) ?? {}
    for (const socket of Object.values(free).flat()) socket?.destroy()
  }
}
