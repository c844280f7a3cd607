// The real programs of this lab, and a compiler for what runs in its containers.
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import {type DebianPrograms, openPrograms, SYSTEM_PATH} from '../debian-programs.js'

const PACKAGES = ['docker.io', 'containerd', 'runc', 'docker-registry', 'libdevmapper1.02.1', 'libseccomp2'] as const

/** Rejects with LabNotRun where an engine cannot be had. */
export const openEnginePrograms = (): Promise<DebianPrograms> => openPrograms(PACKAGES)

/** A static program: the containers have no libraries. */
export async function compileStatic(source: string, to: string): Promise<void> {
  const args = ['-static', '-Os', '-s', '-o', to, source]
  await promisify(execFile)('gcc', args, {env: {PATH: SYSTEM_PATH}, timeout: 60_000}).catch((error: unknown) => {
    const {code, message} = error as NodeJS.ErrnoException
    throw code === 'ENOENT' ? new Error('gcc is not there (Debian packages gcc and libc6-dev)') : new Error(message)
  })
}
