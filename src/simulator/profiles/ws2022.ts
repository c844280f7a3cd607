// Windows Server 2022. Its names as Docker tells them: docker-client/docker-registry#3 and the helper images of gitlab-runner.
import {windowsServer} from './windows-server.js'

export const ws2022 = windowsServer({
  build: 20_348,
  buildLab: '20348.1.amd64fre.fe_release.210507-1500',
  displayVersion: '21H2',
  docker: {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'},
  // microsoft/hcnproxyctrl: Windows Server 2022 came with 13.2.
  hnsVersion: {Major: 13, Minor: 2},
  productName: 'Windows Server 2022 Datacenter',
  profile: 'ws2022',
  releaseId: '2009',
  // The patch level of February 2023 (KB5022842), when 1.23.17 was new; the overlay is sound from 681 on (facts.md d.8).
  ubr: 1547,
})
