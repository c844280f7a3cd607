// Windows Server 2019.
import {windowsServer} from './windows-server.js'

export const ws2019 = windowsServer({
  build: 17_763,
  buildLab: '17763.1.amd64fre.rs5_release.180914-1434',
  docker: {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'},
  hnsVersion: {Major: 9, Minor: 5},
  productName: 'Windows Server 2019 Datacenter',
  profile: 'ws2019',
  releaseId: '1809',
  // The patch level of October 2021, when 1.21.5 was new; it has all that flannel's overlay needs (facts.md d.8).
  ubr: 2237,
})
