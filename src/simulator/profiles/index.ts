// The releases of Windows Server that can be simulated.
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'
import {fillWindowsDrive} from './drive.js'
import {type Edition, makeWorld, type Setup} from './windows-server.js'

/** What makes a fresh simulated host. */
export interface Profile {
  /** Creates what is on drive C. An existing kubeconfig is kept. */
  fillDrive(files: Files, world: World): Promise<void>
  makeWorld(now: number): World
}

const WS2019: Edition = {
  build: 17_763,
  buildLab: '17763.1.amd64fre.rs5_release.180914-1434',
  hnsVersion: {Major: 9, Minor: 5},
  productName: 'Windows Server 2019 Datacenter',
  releaseId: '1809',
  // The patch level of October 2021, when 1.21.5 was new; it has what flannel's overlay needs (docs/facts.md#windows-builds).
  ubr: 2237,
}
// Its names as Docker shows them: docker-client/docker-registry#3 and the helper images of gitlab-runner.
const WS2022: Edition = {
  build: 20_348,
  buildLab: '20348.1.amd64fre.fe_release.210507-1500',
  displayVersion: '21H2',
  // microsoft/hcnproxyctrl: Windows Server 2022 came with 13.2.
  hnsVersion: {Major: 13, Minor: 2},
  productName: 'Windows Server 2022 Datacenter',
  releaseId: '2009',
  // The patch level of February 2023 (KB5022842), when 1.23.17 was new; the overlay works from 681 on (docs/facts.md#windows-builds).
  ubr: 1547,
}
const WS2025: Edition = {
  build: 26_100,
  buildLab: '26100.1.amd64fre.ge_release.240331-1435',
  displayVersion: '24H2',
  hnsVersion: {Major: 15, Minor: 5},
  productName: 'Windows Server 2025 Datacenter',
  releaseId: '2009',
  // The patch level of October 2025 (KB5066835), from which on overlay networks work (docs/facts.md#windows-builds).
  ubr: 6899,
}
const DOCKER = {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'}

/** The cluster is the newest that supports nodes of the releases that the host is for (the version skew policy). */
const SETUPS: Readonly<Record<string, Setup>> = {
  ws2019: {cluster: 'v1.23.17', docker: DOCKER, edition: WS2019},
  'ws2019-containerd': {cluster: 'v1.34.11', edition: WS2019},
  ws2022: {cluster: 'v1.23.17', docker: DOCKER, edition: WS2022},
  'ws2022-containerd': {cluster: 'v1.36.4', edition: WS2022},
  ws2025: {cluster: 'v1.36.4', edition: WS2025},
}

export const PROFILES: Readonly<Record<string, Profile>> = Object.fromEntries(
  Object.entries(SETUPS).map(([name, setup]) => [
    name,
    {fillDrive: fillWindowsDrive, makeWorld: (now: number) => makeWorld(name, setup, now)},
  ]),
)

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}
