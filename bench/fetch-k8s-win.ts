// What bench/fetch.ts measures of k8s-win, as a process of its own: fetch-k8s-win <folder> <url> <sha512>.
import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {fetchArtifact} from '../src/artifacts/fetch.js'
import {unpackMembers} from '../src/artifacts/unpack.js'
import {openRealMachine} from '../src/machine/real/index.js'

const [, , folder = '', url = '', hex = ''] = process.argv
const {files, http} = openRealMachine({environment: {}})
const names = ['kube-proxy.exe', 'kubeadm.exe', 'kubectl.exe', 'kubelet.exe']
const path = await fetchArtifact(
  {
    digest: {algorithm: 'sha512', hex, source: 'bench'},
    fileName: 'node.tar.gz',
    id: 'kubernetes',
    maxBytes: 1024 ** 3,
    url,
    version: '1.21.5',
  },
  {files, folder, http, onProgress: () => {}, signal: new AbortController().signal},
)
const stage = join(folder, 'stage')
mkdirSync(stage)
const staged = await unpackMembers(
  files,
  path,
  new Map(names.map((name) => [`kubernetes/node/bin/${name}`, join(stage, name)])),
)
for (const from of staged.keys()) await files.rename(from, `${from}.placed`)
console.log(process.resourceUsage().maxRSS)
