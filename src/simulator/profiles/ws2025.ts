// Windows Server 2025: no release of ours runs on it. It is here so that one can see how it is refused.
import {windowsServer} from './windows-server.js'

export const ws2025 = windowsServer({
  build: 26_100,
  buildLab: '26100.1.amd64fre.ge_release.240331-1435',
  displayVersion: '24H2',
  // Docker 25, whose API goes from 1.24 to 1.44: not too new for a kubelet of ours, so that only Windows is.
  docker: {apiVersion: '1.44', minApiVersion: '1.24', version: '25.0.8'},
  hnsVersion: {Major: 15, Minor: 5},
  productName: 'Windows Server 2025 Datacenter',
  profile: 'ws2025',
  releaseId: '2009',
  // As it was released.
  ubr: 1742,
})
