// Kubeconfigs that both kubectl and we read, and read the same.
import {TOKEN} from '../../host/cluster/loopback-cluster.js'
import type {KubeconfigCase} from './cases.js'
import {CA_DATA, CERTIFICATE, CERT_DATA, KEY_DATA, withCluster, yaml} from './documents.js'

const EXEC_API = 'client.authentication.k8s.io/v1beta1'
const PROXIED = 'through a proxy it is asked in test/host'
const FROZEN = 'The token file is put inside as it is now: beside our copy it would not be found.'

const GOOD: readonly Omit<KubeconfigCase, 'verdict'>[] = [
  {content: yaml({user: CERTIFICATE}), name: 'a certificate, as kubeadm writes it'},
  {content: yaml(), name: 'a token'},
  {
    content: yaml({
      more: `- name: admin\n  user:\n    token: of-the-admin\n`,
      user: CERTIFICATE,
    }).replace(
      'contexts:',
      `- name: other\n  cluster:\n    server: https://127.0.0.1:1\ncontexts:\n- name: admin@other\n  context:\n    cluster: other\n    user: admin`,
    ),
    name: 'several contexts, of which the current is not the first',
  },
  {
    content: yaml({
      cluster: 'certificate-authority: pki/ca.crt\n    server: SERVER',
      user: 'client-certificate: node.crt\n    client-key: ./pki/../node.key',
    }),
    name: 'files beside it',
  },
  {
    content: yaml({
      cluster: 'certificate-authority: FOLDER/pki/ca.crt\n    server: SERVER',
      user: 'client-certificate: FOLDER/node.crt\n    client-key: FOLDER/node.key',
    }),
    name: 'files by their whole path',
  },
  {
    content: yaml({user: `client-certificate: node.crt\n    client-key-data: ${KEY_DATA}`}),
    name: 'a certificate in a file and its key inside',
  },
  {content: yaml({user: 'tokenFile: token'}), name: 'a token file', tokenOfFile: TOKEN, why: FROZEN},
  {
    content: yaml({user: 'token: not-this\n    tokenFile: token'}),
    name: 'a token and a token file, which wins',
    tokenOfFile: TOKEN,
    why: FROZEN,
  },
  {
    content: yaml({user: `token: ${TOKEN}\n    tokenFile: gone`}),
    name: 'a token and a token file that is not there',
    tokenOfFile: TOKEN,
    why: FROZEN,
  },
  {
    content: yaml({user: `${CERTIFICATE}\n    token: ${TOKEN}`}),
    name: 'a certificate and a token, of which the certificate wins',
  },
  {
    content: yaml({
      user: `exec:\n      apiVersion: ${EXEC_API}\n      command: ./plugin\n      args: [give, "the token"]`,
    }),
    commandOfFile: 'FOLDER/plugin',
    name: 'a plugin beside it',
    why: 'Named by its whole path in our copy, beside which it would not be found.',
  },
  {
    content: yaml({
      user: `exec:\n      apiVersion: ${EXEC_API}\n      command: FOLDER/plugin\n      env:\n      - {name: WHAT, value: the token}\n      provideClusterInfo: true`,
    }),
    name: 'a plugin by its whole path, with an environment',
  },
  {
    content: yaml({user: `exec:\n      apiVersion: ${EXEC_API}\n      command: plugin`}),
    name: 'a plugin by a bare name',
    notAsked: 'we do not search PATH, where anybody could put one: EXEC_PLUGIN_FAILED says so',
  },
  {
    content: yaml({
      cluster: `certificate-authority-data: ${CA_DATA}\n    server: SERVER\n    tls-server-name: kubernetes`,
      user: CERTIFICATE,
    }),
    name: 'another name of the server',
  },
  {content: withCluster('proxy-url: http://127.0.0.1:3128'), name: 'a proxy', notAsked: PROXIED},
  {content: yaml({context: 'cluster: loopback\n    user: node\n    namespace: kube-system'}), name: 'a namespace'},
  {
    content: yaml({context: 'cluster: loopback'}),
    name: 'a context without a user',
    notAsked: 'kubectl would ask a person for a name and password',
  },
  {
    content: yaml({cluster: `certificate-authority-data: ${CA_DATA}\n    server: SERVER/`}),
    name: 'a server with a slash at its end',
  },
  {
    content: yaml({cluster: `certificate-authority-data: ${CA_DATA}\n    server: SERVER/k8s/clusters/c-1`}),
    name: 'a server with a path',
    notAsked: 'kubectl get --raw leaves the path out',
  },
  {
    content: yaml({user: `client-certificate-data: ${CERT_DATA}\n    client-key-data: |\n${wrapped(KEY_DATA)}`}),
    name: 'data in lines of 64 letters',
  },
]

function wrapped(data: string): string {
  return (data.match(/.{1,64}/g) ?? []).map((line) => `      ${line}`).join('\n')
}

export const GOOD_CASES: readonly KubeconfigCase[] = GOOD.map((one) => ({...one, verdict: 'agree'}))
