// The log folders of the daemons: klog never deletes its files.
import {win32} from 'node:path'
import {gb} from '../preflight/hardware-checks.js'
import {klogName} from '../logs/file-names.js'
import {type Check, pass, warn} from '../preflight/check.js'
import {DAEMONS} from './daemons.js'

const MOST_BYTES = 2 ** 30
/** Enough to find a gigabyte: klog begins a new file at 1.8 GB, and at every start. */
const MOST_FILES = 500
/** Of names that are not klog's: after every time. */
const LATEST = 'z'

export const logFolders: Check = {
  id: 'log-folders',
  async run({host: {files}, layout}) {
    const folders = [...DAEMONS.map(({service}) => service), 'k8s-win'].map((name) => win32.join(layout.logs, name))
    const sizes = await Promise.all(
      folders.map(async (folder) => {
        const names = newest(await files.list(folder))
        const found = await Promise.all(names.map((name) => files.status(win32.join(folder, name))))
        return {bytes: found.reduce((sum, status) => sum + (status?.kind === 'file' ? status.size : 0), 0), folder}
      }),
    )
    const large = sizes.filter(({bytes}) => bytes > MOST_BYTES)
    if (large.length === 0) return pass(`below ${gb(MOST_BYTES)} each`)
    return warn(
      large.map(({bytes, folder}) => `${folder} holds ${gb(bytes)}`).join(', '),
      'Delete its oldest files: nothing else does. The newest is in use.',
    )
  },
  title: 'Log folders',
}

/** By the time in klog's names: by the names themselves, hundreds of small WARNING files come after all INFO files. */
function newest(names: readonly string[]): readonly string[] {
  const stamp = (name: string): string => klogName(name)?.stamp ?? LATEST
  const byTime = (one: string, other: string): number =>
    stamp(one) < stamp(other) ? -1 : Number(stamp(one) > stamp(other))
  return names.toSorted(byTime).slice(-MOST_FILES)
}
