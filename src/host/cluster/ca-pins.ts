// Pins of certificate authorities, as kubeadm has them (cmd/kubeadm/app/util/pubkeypin/pubkeypin.go).
import {createHash, X509Certificate} from 'node:crypto'
import {pemBlocks, readAuthorities} from './key-material.js'

/**
 * "sha256:<hex>" over the SubjectPublicKeyInfo of each authority in a PEM. Throws an Error that says in a sentence what is
 * wrong with it.
 */
export function caCertHashes(pem: string): string[] {
  const pins = pemBlocks(readAuthorities(pem)).map(({der}) => {
    const key = new X509Certificate(der).publicKey.export({format: 'der', type: 'spki'})
    return `sha256:${createHash('sha256').update(key).digest('hex')}`
  })
  return [...new Set(pins)]
}
