// What a containerd that was there before reads and runs beside its configuration: all of it is judged down to the file,
// because containerd is SYSTEM.
import {win32} from 'node:path'
import {at, textAt} from '../document.js'
import {type Calls, demandTrees} from '../security/planted.js'

/** Of version 2, and of 3 and 4 of the file. */
const REGISTRIES = ['io.containerd.grpc.v1.cri', 'io.containerd.cri.v1.images']
/** Its folders of programs and libraries are put before PATH (containerd plugins/opt, and pkg/shim for shims). */
const OPT = 'io.containerd.internal.v1.opt'

/** Throws what speaks against one of them. */
export async function demandUsedPaths(calls: Calls, dump: unknown): Promise<void> {
  // A list of folders, as PATH is one (core/remotes/docker/config/hosts.go).
  const registries = REGISTRIES.flatMap((id) => textAt(dump, 'plugins', id, 'registry', 'config_path').split(';'))
  const opt = textAt(dump, 'plugins', OPT, 'path')
  const folders = [...registries, ...['bin', 'lib'].map((name) => win32.join(opt, name))].map((one) =>
    win32.normalize(one),
  )
  await demandTrees(
    calls,
    folders.filter((one) => /^[a-z]:\\/i.test(one)),
    'closed',
  )
  // Programs that decrypt and unpack layers (containerd, "stream processors").
  for (const processor of Object.values(at(dump, 'stream_processors') ?? {})) {
    const program = win32.normalize(textAt(processor, 'path'))
    if (/^[a-z]:\\/i.test(program)) await calls.trust.demand(program, 'program')
  }
}
