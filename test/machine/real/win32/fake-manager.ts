// The service control manager, played by the test.
import {openServices} from '../../../../src/machine/real/win32/services/services.js'
import type {ServiceConfig} from '../../../../src/machine/win32.js'
import {fakeNative} from './fake-native.js'
import type {Played} from './fake-native.js'

export const yes = {result: 1}
export const config: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: ['docker'],
  description: 'kubelet, managed by k8s-win',
  displayName: 'kubelet',
  failureActions: {resetAfterSeconds: 3600, restartDelaysMs: [10_000]},
  failureFlag: true,
  imagePath: '"C:\\k\\kubelet.exe" --windows-service',
  startType: 'automatic',
}

/** A service manager in which everything succeeds, unless played otherwise. Counts open handles. */
export function manager(played: Readonly<Record<string, Played>> = {}) {
  const open = new Set<bigint>()
  let last = 100n
  const handle = () => {
    open.add(++last)
    return {result: last}
  }
  const fake = fakeNative({
    ChangeServiceConfig2W: () => yes,
    ChangeServiceConfigW: () => yes,
    CloseServiceHandle: (closed: bigint) => ({result: open.delete(closed) ? 1 : 0}),
    CreateServiceW: handle,
    DeleteService: () => yes,
    OpenSCManagerW: handle,
    OpenServiceW: handle,
    StartServiceW: () => yes,
    ...played,
  })
  return {...fake, open, services: openServices(fake.native)}
}
