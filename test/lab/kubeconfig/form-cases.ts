// Kubeconfigs of odd form that are read all the same: encodings, YAML of another kind, things no one needs.
import {TOKEN} from '../../host/cluster/loopback-cluster.js'
import type {KubeconfigCase} from './cases.js'
import {CA_DATA, yaml} from './documents.js'

const json = {
  apiVersion: 'v1',
  clusters: [{cluster: {'certificate-authority-data': CA_DATA, server: 'SERVER'}, name: 'loopback'}],
  contexts: [{context: {cluster: 'loopback', user: 'node'}, name: 'node@loopback'}],
  'current-context': 'node@loopback',
  kind: 'Config',
  users: [{name: 'node', user: {token: TOKEN}}],
}

const FORMS: readonly Omit<KubeconfigCase, 'verdict'>[] = [
  {content: JSON.stringify(json), name: 'JSON'},
  {content: JSON.stringify(json, undefined, '\t'), name: 'JSON with tabs'},
  {content: yaml().replaceAll('\n', '\r\n'), name: 'Windows line ends'},
  {content: `\uFEFF${yaml()}`, name: 'UTF-8 with a mark'},
  {content: Buffer.from(`\uFEFF${yaml()}`, 'utf16le'), name: "UTF-16, as PowerShell's Out-File writes"},
  {content: Buffer.from(`\uFEFF${yaml()}`, 'utf16le').swap16(), name: 'UTF-16, the other way'},
  {content: `# für alle\n${yaml().replaceAll('\n', ' # ja\n')}`, name: 'comments'},
  {content: `---\n${yaml()}...\n`, name: 'marks of a document'},
  {content: `${yaml()}---\n${yaml({user: 'token: of-the-second'})}`, name: 'two documents, of which the first counts'},
  {content: yaml({head: 'current-context: node@loopback'}), name: 'neither kind nor apiVersion'},
  {
    content: yaml({
      head: 'apiVersion: v1\nkind: Config\ncolour: blue\npreferences: {}\ncurrent-context: node@loopback',
    }),
    name: 'fields nobody knows',
  },
  {
    content: yaml({
      cluster: `&c\n    certificate-authority-data: ${CA_DATA}\n    server: SERVER`,
      more: '- name: other\n  user: *u\n',
      user: `&u\n    token: ${TOKEN}`,
    }).replace('contexts:', '- name: other\n  cluster: *c\ncontexts:'),
    name: 'anchors and aliases',
  },
  {
    content: yaml({head: `apiVersion: v1\nx: &x {token: ${TOKEN}}\ncurrent-context: node@loopback`, user: '<<: *x'}),
    name: 'what is merged in',
  },
  {content: `current-context: other\n${yaml()}`, name: 'a key twice, of which the last counts'},
  {
    content: yaml()
      .replace('clusters:', 'clusters:\n-')
      .replace('contexts:', 'contexts:\n- null')
      .replace('users:', 'users:\n- ~'),
    name: 'null entries',
  },
  {
    content: yaml({user: `token: ${TOKEN}\n    client-certificate-data: null\n    exec: ~\n    tokenFile: ""`}),
    name: 'null and empty values',
  },
  {
    content: yaml()
      .replaceAll('node@loopback', '"1"')
      .replaceAll(/(name|user): node$/gm, '$1: "007"'),
    name: 'numbers in quotes for names',
  },
  {content: yaml().replaceAll('node@loopback', '"no"'), name: 'a context named no, in quotes'},
  {content: yaml().replaceAll('node@loopback', '2021-10-20'), name: 'a context named like a day'},
  {content: yaml().replaceAll('node@loopback', '12:34:56'), name: 'a context named like a time'},
]

export const FORM_CASES: readonly KubeconfigCase[] = FORMS.map((one) => ({...one, verdict: 'agree'}))
