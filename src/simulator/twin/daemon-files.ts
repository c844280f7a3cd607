// The drive as the twin's daemons see it: the host's programs are stand-ins, and log lines are marked.
import {win32} from 'node:path'

import type {Files} from '../../machine/files.js'
import {makeStandIn, readStandIn} from '../mirror/stand-in.js'

/** Versions by program, e.g. {kubelet: "v1.21.5"}. */
export type ProgramVersions = Readonly<Record<string, string>>

/** The models identify a program by its stand-in; a real one has none, and a hundred megabytes. */
export function withKnownPrograms(files: Files, versions: ProgramVersions): Files {
  return {
    ...files,
    async read(path) {
      if (!/\.exe$/i.test(path) || (await files.status(path))?.kind !== 'file') return files.read(path)
      const beginning = await firstChunk(files, path)
      const name = programName(path)
      const version = versions[name]
      return version === undefined || readStandIn(beginning) ? beginning : makeStandIn({name, version})
    },
  }
}

export const programName = (path: string): string =>
  win32
    .basename(path)
    .toLowerCase()
    .replace(/\.exe$/, '')

async function firstChunk(files: Files, path: string): Promise<Buffer> {
  for await (const chunk of files.readChunks(path)) return Buffer.from(chunk)
  return Buffer.alloc(0)
}

const MARK = '(on the twin) '

/** Marks log lines of the twin's daemons, which do not exist on the host; the daemons append to logs only. */
export function withMarkedLogs(files: Files): Files {
  return {...files, append: (path, text) => files.append(path, text.replaceAll(/^(?=.)/gm, MARK))}
}
