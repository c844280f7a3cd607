// The node's pod network on this host: the subnet that flanneld leased, and addresses reserved through host-local, as the CNI
// plugins do for pods.
import {win32 as windowsPath} from 'node:path'
import {formatCidr, networkOf, parseCidr} from '../config/cidr.js'
import {IPAM_STORE} from '../config/layout.js'
import {hostLocalFailed} from '../errors/windows.js'
import type {Files} from '../machine/files.js'
import type {Run} from '../machine/run.js'

/** RKE2 uses the same names, so a store it left is understood. */
const KUBE_PROXY: Reservation = {id: 'kube-proxy', interface: 'source-vip'}
const DEADLINE_MS = 30_000

/** Whose address it is, in host-local's words. */
export interface Reservation {
  readonly id: string
  readonly interface: string
}

export interface Ipam {
  /** The address that is reserved for kube-proxy, or for another one, wherever it lies. */
  find(network: string, of?: Reservation): Promise<string | undefined>
  release(network: string, subnet: string, of?: Reservation): Promise<void>
  reserve(network: string, subnet: string): Promise<string>
}

export function openIpam(files: Files, run: Run, hostLocal: string): Ipam {
  const call = async (command: 'ADD' | 'DEL', network: string, subnet: string, of = KUBE_PROXY): Promise<string> => {
    const result = await run(hostLocal, [], {
      deadlineMs: DEADLINE_MS,
      effect: 'change',
      env: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: of.id,
        CNI_IFNAME: of.interface,
        CNI_NETNS: of.id,
        CNI_PATH: windowsPath.dirname(hostLocal),
      },
      input: JSON.stringify({
        cniVersion: '0.3.0',
        ipam: {dataDir: '/var/lib/cni/networks', ranges: [[{subnet}]], type: 'host-local'},
        name: network,
      }),
    })
    if (result.exitCode === 0) return result.stdout
    throw hostLocalFailed({command, network, said: `${result.stdout} ${result.stderr}`.trim()})
  }

  return {
    async find(network, of = KUBE_PROXY) {
      const folder = windowsPath.join(IPAM_STORE, network)
      for (const name of await files.list(folder)) {
        const [owner, device] = ((await files.read(windowsPath.join(folder, name)))?.toString('utf8') ?? '').split(
          /\r?\n/,
        )
        if (owner === of.id && device === of.interface) return name
      }

      return undefined
    },
    async release(network, subnet, of) {
      await call('DEL', network, subnet, of)
    },
    async reserve(network, subnet) {
      // A reservation that was cut while it was written has the id alone: host-local refuses an ADD for it as a duplicate, and
      // its DEL finds it (backend/disk/backend.go, GetByID and ReleaseByID).
      const answer = await call('ADD', network, subnet).catch(async (error: unknown) => {
        if (!hostLocalFailed.is(error)) throw error
        await call('DEL', network, subnet)
        return call('ADD', network, subnet)
      })
      const address = addressIn(answer)
      if (address === undefined) throw hostLocalFailed({command: 'ADD', network, said: answer.trim() || 'nothing'})
      return address
    },
  }
}

function addressIn(answer: string): string | undefined {
  try {
    return (JSON.parse(answer) as {ips?: {address: string}[]}).ips?.[0]?.address.split('/')[0]
  } catch {
    return undefined
  }
}

/** The lease as a network, "10.244.3.0/24"; undefined where the file is not there or says nothing of the kind. */
export function readSubnetEnv(content: Buffer | undefined): string | undefined {
  const cidr = parseCidr(/^FLANNEL_SUBNET=(\S+)\s*$/m.exec(content?.toString('utf8') ?? '')?.[1] ?? '')
  return cidr && formatCidr(networkOf(cidr))
}
