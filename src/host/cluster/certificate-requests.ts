// The CertificateSigningRequests of kubelets, as far as one who waits for a certificate must know them.
import {listAt, textAt} from '../document.js'
import type {ListAll} from './cluster.js'

/** Signs the client certificates of kubelets (certificates/v1, KubeAPIServerClientKubeletSignerName). */
const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet'

export interface CertificateRequest {
  readonly createdAt: string
  /** Why, where it was denied or could not be signed. */
  readonly message: string
  readonly name: string
  readonly state: 'approved' | 'denied' | 'failed' | 'pending'
}

export interface ClusterCertificateRequests {
  /** One that was found before; undefined where it is gone: a cluster deletes them after minutes to hours. */
  certificateRequest(name: string, nodeName: string, user: string): Promise<CertificateRequest | undefined>
  /**
   * Those for the client certificate of this node that this user has made, the newest first. Everyone with a token may make
   * some: who else asks for this node's name is not named, so that it is not approved by mistake.
   */
  certificateRequests(nodeName: string, user: string): Promise<readonly CertificateRequest[]>
}

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

export const openCertificateRequests = (
  get: (path: string) => Promise<object | undefined>,
  listAll: ListAll,
): ClusterCertificateRequests => ({
  certificateRequest: async (name, nodeName, user) => readRequest(await get(`${PATH}/${name}`), nodeName, user),
  async certificateRequests(nodeName, user) {
    const all = await listAll(PATH, (item) => readRequest(item, nodeName, user), `spec.signerName=${SIGNER}`)
    return all.filter((one) => one !== undefined).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  },
})

/** The API server allows any name; the kubelet's are generated. They are shown in commands. */
const NAME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i
const LONGEST_MESSAGE = 300

function readRequest(item: unknown, nodeName: string, user: string): CertificateRequest | undefined {
  const name = textAt(item, 'metadata', 'name')
  if (!NAME.test(name) || textAt(item, 'spec', 'username') !== user) return undefined
  if (!isFor(textAt(item, 'spec', 'request'), nodeName)) return undefined
  const conditions = listAt(item, 'status', 'conditions')
  const [decisive] = ['Failed', 'Denied', 'Approved'].flatMap(
    (type) => conditions.find((condition) => textAt(condition, 'type') === type) ?? [],
  )
  const type = textAt(decisive, 'type').toLowerCase()
  return {
    createdAt: textAt(item, 'metadata', 'creationTimestamp'),
    message: [textAt(decisive, 'reason'), textAt(decisive, 'message')]
      .filter(Boolean)
      .join(': ')
      .replaceAll(/\s+/g, ' ')
      .slice(0, LONGEST_MESSAGE),
    name,
    state: type === '' ? 'pending' : (type as CertificateRequest['state']),
  }
}

/**
 * The request is PKCS #10 in PEM in base64, and its common name a DER string: a byte with its length, then its text.
 */
function isFor(request: string, nodeName: string): boolean {
  const pem = Buffer.from(request, 'base64').toString('latin1')
  const [, body = ''] = /-----BEGIN CERTIFICATE REQUEST-----([\w+/=\s]*)-----END/.exec(pem) ?? []
  const name = Buffer.from(`system:node:${nodeName}`)
  return name.length < 128 && Buffer.from(body, 'base64').includes(Buffer.concat([Buffer.of(name.length), name]))
}
