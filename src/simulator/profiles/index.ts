// The releases of Windows Server that can be simulated.
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'
import {fillWindowsDrive} from './drive.js'
import {type Edition, makeWorld} from './windows-server.js'

/** What makes a fresh simulated host. */
export interface Profile {
  /** Creates what is on drive C. An existing kubeconfig is kept. */
  fillDrive(files: Files, world: World): Promise<void>
  makeWorld(now: number): World
}

const EDITIONS: Readonly<Record<string, Edition>> = {
  ws2019: {
    build: 17_763,
    buildLab: '17763.1.amd64fre.rs5_release.180914-1434',
    docker: {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'},
    hnsVersion: {Major: 9, Minor: 5},
    productName: 'Windows Server 2019 Datacenter',
    releaseId: '1809',
    // The patch level of October 2021, when 1.21.5 was new; it has what flannel's overlay needs (docs/facts.md#windows-builds).
    ubr: 2237,
  },
  // Its names as Docker shows them: docker-client/docker-registry#3 and the helper images of gitlab-runner.
  ws2022: {
    build: 20_348,
    buildLab: '20348.1.amd64fre.fe_release.210507-1500',
    displayVersion: '21H2',
    docker: {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'},
    // microsoft/hcnproxyctrl: Windows Server 2022 came with 13.2.
    hnsVersion: {Major: 13, Minor: 2},
    productName: 'Windows Server 2022 Datacenter',
    releaseId: '2009',
    // The patch level of February 2023 (KB5022842), when 1.23.17 was new; the overlay works from 681 on (docs/facts.md#windows-builds).
    ubr: 1547,
  },
  // No supported release runs on it: it shows how it is refused.
  ws2025: {
    build: 26_100,
    buildLab: '26100.1.amd64fre.ge_release.240331-1435',
    displayVersion: '24H2',
    // Docker 25, whose API versions 1.24 to 1.44 suit the kubelet, so that only Windows is refused.
    docker: {apiVersion: '1.44', minApiVersion: '1.24', version: '25.0.8'},
    hnsVersion: {Major: 15, Minor: 5},
    productName: 'Windows Server 2025 Datacenter',
    releaseId: '2009',
    ubr: 1742,
  },
}

export const PROFILES: Readonly<Record<string, Profile>> = Object.fromEntries(
  Object.entries(EDITIONS).map(([name, edition]) => [
    name,
    {fillDrive: fillWindowsDrive, makeWorld: (now: number) => makeWorld(name, edition, now)},
  ]),
)

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}
