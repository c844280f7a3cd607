// Compiles test/lab/programs/*.c for Windows, in the lab, once for each text of a program.
import {createHash} from 'node:crypto'
import {copyFile, mkdir, readdir, readFile, rename, stat} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import type {LabMachine} from './lab-machine.js'

export const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))

const COMPILER = [
  'x86_64-w64-mingw32-gcc-win32',
  '-std=c11',
  '-O1',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-static-libgcc',
  '-municode',
]
const LIBRARIES = ['-ladvapi32', '-liphlpapi', '-lole32', '-lshell32', '-luser32', '-lws2_32']

export interface Program {
  /** `name.c` makes name.exe, `name.dll.c` makes name.dll. */
  readonly file: string
  readonly source: string
  /** Every .h that is there, by name. */
  readonly headers: Readonly<Record<string, string>>
  readonly hash: string
}

export async function readPrograms(): Promise<Program[]> {
  const files = (await readdir(PROGRAMS)).sort()
  const headers: Record<string, string> = {}
  for (const name of files.filter((file) => file.endsWith('.h'))) {
    headers[name] = await readFile(path.join(PROGRAMS, name), 'utf8')
  }
  return Promise.all(
    files
      .filter((name) => name.endsWith('.c'))
      .map(async (name) => {
        const source = await readFile(path.join(PROGRAMS, name), 'utf8')
        const base = name.slice(0, -'.c'.length)
        const included = Object.entries(headers).filter(([header]) => source.includes(`"${header}"`))
        const hash = createHash('sha256')
          .update(JSON.stringify([COMPILER, LIBRARIES, source, ...included]))
          .digest('hex')
          .slice(0, 16)
        return {file: base.endsWith('.dll') ? base : `${base}.exe`, hash, headers, source}
      }),
  )
}

/** Puts every program into a folder; `machine` is asked for only if one has to be compiled. */
export async function compilePrograms(cache: string, into: string, machine: () => Promise<LabMachine>): Promise<void> {
  await mkdir(cache, {recursive: true})
  await mkdir(into, {recursive: true})
  for (const program of await readPrograms()) {
    const kept = path.join(cache, `${program.hash}-${program.file}`)
    const there = await stat(kept).then(
      () => true,
      () => false,
    )
    if (!there) await compile(program, kept, await machine())
    await copyFile(kept, path.join(into, program.file))
  }
}

async function compile(program: Program, kept: string, machine: LabMachine): Promise<void> {
  const folder = 'C:\\lab\\compile'
  const source = program.file.replace(/\.exe$/, '').concat('.c')
  await machine.write(`${folder}\\${source}`, program.source)
  for (const [name, text] of Object.entries(program.headers)) await machine.write(`${folder}\\${name}`, text)
  const inside = (name: string) => `/lab/prefix/drive_c/lab/compile/${name}`
  const kind = program.file.endsWith('.dll') ? ['-shared'] : []
  const argv = [...COMPILER, ...kind, '-o', inside(program.file), inside(source), ...LIBRARIES]
  const {code, stderr} = await machine.linux(argv)
  if (code !== 0) throw new Error(`programs/${source} does not compile:\n${stderr}`)
  const half = `${kept}.${process.pid}`
  await copyFile(machine.path(`${folder}\\${program.file}`), half)
  await rename(half, kept)
}
