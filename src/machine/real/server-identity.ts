// Is a server's certificate for the name it was called by? As every Go program judges it, kubelet and kubectl included.
import {checkServerIdentity, type PeerCertificate} from 'node:tls'

/**
 * Only the names and addresses of the subjectAltName extension count. Node still takes the common name where that
 * extension has no DNS name; Go stopped doing so in 1.15 (crypto/x509, VerifyHostname).
 */
export function serverIdentityProblem(host: string, certificate: PeerCertificate): Error | undefined {
  const {subject} = certificate
  const nameless = {...certificate, subject: {...subject, CN: ''}}
  const problem = checkServerIdentity(host, nameless)
  if (problem === undefined || checkServerIdentity(host, certificate) !== undefined) return problem
  const message = `the server's certificate names ${host} only as its common name`
  return Object.assign(new Error(message), {code: 'CERT_COMMON_NAME_ONLY'})
}
