// subnet.env: what flanneld leased, for the CNI plugin. FLANNEL_SUBNET is the first address of it, with its length.
import {formatCidr, networkOf, parseCidr} from '../config/cidr.js'

/** The lease as a network, "10.244.3.0/24"; undefined where the file is not there or says nothing of the kind. */
export function readSubnetEnv(content: Buffer | undefined): string | undefined {
  const cidr = parseCidr(/^FLANNEL_SUBNET=(\S+)\s*$/m.exec(content?.toString('utf8') ?? '')?.[1] ?? '')
  return cidr && formatCidr(networkOf(cidr))
}
