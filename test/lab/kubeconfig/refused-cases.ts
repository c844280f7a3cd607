// Kubeconfigs that cannot be used, and those of which we think otherwise than kubectl, with the reason.
import {ADMIN_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import type {KubeconfigCase, Verdict} from './cases.js'
import {CA_DATA, CERTIFICATE, CERT_DATA, KEY_DATA, withCluster, yaml} from './documents.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const head = (context: string): string => yaml({head: `apiVersion: v1\nkind: Config\n${context}`})

const NEITHER: Readonly<Record<string, Buffer | string>> = {
  'a CA inside and in a file': yaml({
    cluster: `certificate-authority: pki/ca.crt\n    certificate-authority-data: ${CA_DATA}\n    server: SERVER`,
  }),
  'a certificate inside and in a file': yaml({user: `${CERTIFICATE}\n    client-certificate: node.crt`}),
  'a cluster that is not there': yaml({context: 'cluster: other\n    user: node'}),
  'a context named no, without quotes': yaml().replaceAll('node@loopback', 'no'),
  'a file that is not there': yaml({cluster: 'certificate-authority: gone.crt\n    server: SERVER'}),
  'a list': '- a\n- b\n',
  'a name twice': yaml({more: '- name: node\n  user:\n    token: second\n'}),
  'a number for a name': yaml().replaceAll('node@loopback', '7'),
  'a number for a token': yaml({user: 'token: 123'}),
  'a tab before a key': yaml().replace('    token', '\ttoken'),
  'a text': 'kubeconfig',
  'a truth value in quotes': withCluster('insecure-skip-tls-verify: "false"'),
  'a user that is not there': yaml({context: 'cluster: loopback\n    user: other'}),
  'an alias of nothing': yaml({user: '*nobody'}),
  'an empty current-context': head('current-context: ""'),
  'an unknown current-context': head('current-context: other'),
  'another apiVersion': yaml().replace('apiVersion: v1', 'apiVersion: v2'),
  'another kind': yaml().replace('kind: Config', 'kind: Pod'),
  'clusters that are no list': yaml().replace('clusters:\n- name: loopback\n ', 'clusters:\n '),
  'data that is no base64': yaml({user: `client-certificate-data: "${CERT_DATA}!"\n    client-key-data: ${KEY_DATA}`}),
  'letters of a code page': Buffer.from(`# für alle\n${yaml()}`, 'latin1'),
  'no current-context': head(''),
  nothing: '',
  'only comments': '# nothing\n',
}

const SHOWN_ONLY: Readonly<Record<string, string>> = {
  'a CA that is none': yaml({cluster: `certificate-authority-data: ${base64('junk')}\n    server: SERVER`}),
  'a certificate that is none': yaml({
    user: `client-certificate-data: ${base64('junk')}\n    client-key-data: ${KEY_DATA}`,
  }),
  'a certificate without its key': yaml({user: `client-certificate-data: ${CERT_DATA}`}),
  'a key of another certificate': yaml({
    user: `client-certificate-data: ${CERT_DATA}\n    client-key-data: ${base64(ADMIN_CERTIFICATE.key)}`,
  }),
  'a plugin of no apiVersion': yaml({user: 'exec:\n      command: ./plugin'}),
  'a plugin of another apiVersion': yaml({user: 'exec:\n      apiVersion: example.com/v1\n      command: ./plugin'}),
  'a token file that is not there': yaml({user: 'tokenFile: gone'}),
  'a token of two lines': yaml({user: 'token: |\n      one\n      two'}),
  'an ftp server': yaml({cluster: `certificate-authority-data: ${CA_DATA}\n    server: ftp://127.0.0.1`}),
}

interface Difference {
  readonly content: string
  readonly why: string
}

const WE_REFUSE: Readonly<Record<string, Difference>> = {
  'a name and password': {
    content: yaml({user: 'username: a\n    password: b'}),
    why: 'API servers take no passwords since 1.19, and this node needs one of 1.21 or newer.',
  },
  'a server without TLS': {
    content: yaml({cluster: 'server: http://127.0.0.1:1'}),
    why: 'client-go then shows nobody who it is, and API servers have had no such port since 1.20.',
  },
  'a server that is a host and port': {
    content: yaml({cluster: `certificate-authority-data: ${CA_DATA}\n    server: HOST_AND_PORT`}),
    why: 'The same: without a scheme client-go does without TLS, whatever authority is named.',
  },
  'a proxy of another kind': {
    content: withCluster('proxy-url: socks5://127.0.0.1:1080'),
    why: 'Our HTTP client knows HTTP proxies only, and a check that goes another way than the daemons proves nothing.',
  },
  'an auth-provider': {
    content: yaml({user: 'auth-provider:\n      name: oidc'}),
    why: 'It is built into kubectl and gone since 1.26; exec plugins took its place.',
  },
  'insecure-skip-tls-verify': {
    content: yaml({cluster: 'insecure-skip-tls-verify: true\n    server: SERVER'}),
    why: 'A node takes orders from whoever answers: it must know who that is.',
  },
  'insecure-skip-tls-verify, in the words of YAML 1.1': {
    content: yaml({cluster: 'insecure-skip-tls-verify: on\n    server: SERVER'}),
    why: 'The same; Go reads on, yes and y as true.',
  },
  'somebody else to act as': {
    content: yaml({user: `${CERTIFICATE}\n    as: system:admin`}),
    why: 'The daemons would be somebody else than those we ask as.',
  },
}

const of = (verdict: Verdict, contents: Readonly<Record<string, Buffer | string>>): KubeconfigCase[] =>
  Object.entries(contents).map(([name, content]) => ({content, name, verdict}))

export const REFUSED_CASES: readonly KubeconfigCase[] = [
  ...of('refused', NEITHER),
  ...of('kubectl shows it only', SHOWN_ONLY),
  ...Object.entries(WE_REFUSE).map(([name, one]): KubeconfigCase => ({...one, name, verdict: 'we refuse'})),
]
