// What the subject of a client certificate says.
import {describe, expect, it} from 'vitest'
import {administratorsOf, groupsOf, userOf} from '../../../src/host/cluster/credential-validity.js'
import type {Kubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'

/** openssl req -multivalue-rdn -subj "/O=kubeadm:cluster-admins+O=ops/CN=kubernetes-admin": as Go writes two groups. */
const TWO_GROUPS = `-----BEGIN CERTIFICATE-----
MIIB5jCCAY2gAwIBAgIUHorqZETpIaWwvc5wjsCFfVM2e3wwCgYIKoZIzj0EAwIw
SDErMAoGA1UECgwDb3BzMB0GA1UECgwWa3ViZWFkbTpjbHVzdGVyLWFkbWluczEZ
MBcGA1UEAwwQa3ViZXJuZXRlcy1hZG1pbjAgFw0yNjExMTkxMTMxMTZaGA8yMTI2
MTAyNjExMzExNlowSDErMAoGA1UECgwDb3BzMB0GA1UECgwWa3ViZWFkbTpjbHVz
dGVyLWFkbWluczEZMBcGA1UEAwwQa3ViZXJuZXRlcy1hZG1pbjBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABM9hTveXTX66H/kYrp6X5umeJ8NN14wlXmpqruSKjLi4
wvFE/FLPsSMVxsUHEUr/ZRZSJvP4ZQi8reaqpijjsp6jUzBRMB0GA1UdDgQWBBQ7
HakRQEvLXxXwZenQFnaKUENAyTAfBgNVHSMEGDAWgBQ7HakRQEvLXxXwZenQFnaK
UENAyTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIEvX84YZC8lD
WipvgX2zn2RKNZ7gEMbS1LlliCOr+WC8AiAnqpVVM/jR/dAr0uMk5kXjyMlrWInZ
j147CPBeoatIPQ==
-----END CERTIFICATE-----
`
const of = (certificate?: string): Kubeconfig => ({...(certificate && {certificate})}) as Kubeconfig

describe('the subject of a client certificate', () => {
  it('may have several groups in one of its names', () => {
    expect(groupsOf(of(TWO_GROUPS)).toSorted()).toEqual(['kubeadm:cluster-admins', 'ops'])
    expect(userOf(of(TWO_GROUPS))).toBe('kubernetes-admin')
  })

  it.each([
    ['system:masters', ADMIN_CERTIFICATE.cert],
    ['kubeadm:cluster-admins, as in admin.conf from 1.29 on', TWO_GROUPS],
  ])('is that of an administrator with %s', (group, certificate) => {
    expect(administratorsOf(of(certificate))).toBe(group.split(',')[0])
  })

  it('is not that of an administrator for a node, nor without a certificate', () => {
    expect(administratorsOf(of(NODE_CERTIFICATE.cert))).toBeUndefined()
    expect(administratorsOf(of())).toBeUndefined()
  })
})
