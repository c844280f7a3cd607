// The connections of the simulated host to servers: opened, kept, waited for and dropped as by the real client
// (machine/real/http-exchange.ts), so that the transcript shows how many a run needs.
import type {HttpRequest} from '../machine/http.js'

/** Of the real client, per identity (KEPT). */
const MOST = 4
const IDLE_MS = 30_000

export interface Connection {
  /** The first of a run is 1. */
  readonly id: number
  readonly key: string
  readonly name: symbol
  /** The network was interrupted since it was opened, which ends it (docs/assumptions.md, vswitch-connections). */
  isLost(): boolean
}

interface Kept extends Connection {
  freeSince?: number
}

type Way = Pick<HttpRequest, 'isKept' | 'proxy' | 'tls' | 'url'>

export interface Connections {
  acquire(way: Way): Promise<Connection>
  disconnect(): void
  /** After an answer that was read to its end; otherwise it is closed, with those that are free. */
  release(connection: Connection, isWhole: boolean): void
}

/** `interruption` is another value after each interruption of the network. */
export function openConnections(now: () => number, interruption: () => number): Connections {
  let opened = 0
  let kept: Kept[] = []
  let waiting: (() => void)[] = []
  const isOpen = ({freeSince}: Kept): boolean => freeSince === undefined || now() - freeSince < IDLE_MS
  const disconnect = (): void => {
    kept = []
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    async acquire({isKept = false, proxy, tls, url}) {
      const key = JSON.stringify([new URL(url).origin, proxy, tls])
      for (;;) {
        kept = kept.filter(isOpen)
        const own = isKept ? kept.filter((one) => one.key === key) : []
        const free = own.findLast(({freeSince}) => freeSince !== undefined)
        if (free) {
          delete free.freeSince
          return free
        }

        if (own.length < MOST) {
          const since = interruption()
          const made = {id: ++opened, isLost: () => interruption() !== since, key, name: Symbol('connection')}
          if (isKept) kept.push(made)
          return made
        }

        await new Promise<void>((resolve) => void waiting.push(resolve))
      }
    },
    disconnect,
    release(connection, isWhole) {
      const own = kept.find(({id}) => id === connection.id)
      if (own && isWhole) own.freeSince = now()
      else if (own) disconnect()
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
  }
}
