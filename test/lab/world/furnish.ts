// Makes the lab's Windows the one the world describes: its registry, and its services as real services.
import type {Win32} from '../../../src/machine/win32.js'
import {readRegistryValues} from '../../../src/simulator/windows/registry.js'
import type {World} from '../../../src/simulator/world.js'

const VERSION_KEY = String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`
/** Wine's dism.exe shows no feature. */
const CONTAINERS_KEY = String.raw`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\Containers`
const ENVIRONMENT_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
/** Wine reports that of the machine it runs on. */
const BIOS_KEY = String.raw`HARDWARE\DESCRIPTION\System\BIOS`
/** Where the stand-in for a service's program is; the real one of the Host Network Service is a library of svchost. */
const PROGRAMS: Readonly<Record<string, string>> = {
  docker: String.raw`"C:\Program Files\docker\dockerd.exe" --run-service`,
  hns: String.raw`C:\Windows\System32\hns.exe`,
}

export async function furnish(win32: Win32, world: World): Promise<void> {
  for (const key of [VERSION_KEY, CONTAINERS_KEY, ENVIRONMENT_KEY, BIOS_KEY]) {
    for (const [name, value] of Object.entries(readRegistryValues(world, `HKLM\\${key}`))) {
      await win32.setRegistryValue('HKLM', key, name, value)
    }
  }
  for (const [name, imagePath] of Object.entries(PROGRAMS)) {
    const entry = world.services[name]
    if (!entry) continue
    const known = await win32.queryServiceConfig(name)
    if (known) {
      // After a boot: what does not start with Windows, Docker demands (HNS).
      if (known.startType !== 'automatic') await win32.startService(name)
      continue
    }
    // Neither RPC nor the rest of Windows' own services are real ones here.
    await win32.createService(name, {...entry.config, dependencies: [], imagePath})
    if (entry.state === 'running') {
      entry.state = 'stopped'
      await win32.startService(name)
    }
  }
}
