// The lab's vmcompute.dll in System32, where Windows has its own. For Wine only: a real one is never touched.
import {copyFile} from 'node:fs/promises'
import path from 'node:path'

const IN_SYSTEM = String.raw`C:\windows\system32\vmcompute.dll`

/** As the feature Containers would. Any of the lab's libraries may stand there: one without HNSCall is a Windows too old. */
export async function putDll(programs: string, library = 'vmcompute.dll'): Promise<void> {
  await copyFile(path.win32.join(programs, library), IN_SYSTEM)
}
