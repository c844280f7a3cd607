// What prevented an answer of the API server, told as an error people can act on.
import {
  answerTooLarge,
  clusterAnswer,
  clusterRefused,
  serverNameLegacy,
  serverUnreachable,
  serverUntrusted,
} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {HttpError} from '../../machine/http.js'
import {whyLapsed, whyUnknown} from './credential-validity.js'
import type {Kubeconfig} from './kubeconfig.js'

/** OpenSSL's verdicts on a chain, as Node names them. */
const OF_ANOTHER_AUTHORITY =
  /^(?:UNABLE_TO_(?:GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE)|(?:DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)_CERT(?:_IN_CHAIN)?|CERT_(?:SIGNATURE_FAILURE|UNTRUSTED|REJECTED)|INVALID_CA|INVALID_PURPOSE)$/

/** How far a connection came that was not made. */
const NO_CONNECTION: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'No DNS server of this host returned an address for the name.',
  ECONNREFUSED: 'The machine responds, but nothing is listening on the port, or a firewall rejects the connection.',
  EHOSTUNREACH: 'The address is unreachable.',
  ENETUNREACH: 'This host has no route to the address.',
  ENOTFOUND: 'No DNS server of this host knows the name.',
}

export function connectionProblem(error: HttpError, server: string, kubeconfig: Kubeconfig, now: number): K8sWinError {
  const {code} = error
  const options = {cause: error}
  if (code === 'TOO_LARGE') return answerTooLarge({reason: error.message, server}, options)
  if (code === 'CERT_COMMON_NAME_ONLY') return serverNameLegacy({server}, options)
  const untrusted = trustProblem(error, kubeconfig, now)
  if (untrusted !== undefined) return serverUntrusted({reason: untrusted, server}, options)
  // The other end did not like what we showed.
  if (/^ERR_SSL_.*_ALERT_/.test(code)) {
    const reason = `It ended the TLS handshake (${code}). ${whyUnknown(kubeconfig, now)}`
    return clusterRefused({reason, server}, options)
  }

  if (/^(?:ERR_SSL_|HPE_|EPROTO$)/.test(code)) {
    return clusterAnswer({reason: `It does not respond like an API server (${code}).`, server}, options)
  }

  // Some that do not like the certificate we show just hang up.
  const hint = code === 'ECONNRESET' ? whyLapsed(kubeconfig, now) : NO_CONNECTION[code]
  const reason = [`${error.message} (${code}).`, ...(hint === undefined ? [] : [hint])].join(' ')
  return serverUnreachable({reason, server}, options)
}

function trustProblem({code, message}: HttpError, {ca}: Kubeconfig, now: number): string | undefined {
  const clock = `This host's clock says ${new Date(now).toISOString()}.`
  if (code === 'CERT_HAS_EXPIRED') return `Its certificate has expired. ${clock}`
  if (code === 'CERT_NOT_YET_VALID') return `Its certificate is not valid yet. ${clock}`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Its certificate is for another name: ${message.replace(/: $/, '')}.`
  if (!OF_ANOTHER_AUTHORITY.test(code)) return undefined
  return ca === undefined
    ? `The kubeconfig contains no certificate authority, and its certificate is not signed by one that this host trusts (${code}).`
    : `Its certificate is not signed by the kubeconfig's certificate authority (${code}).`
}
