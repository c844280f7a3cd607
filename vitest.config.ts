// Tests run on any system, in any order, against the sources and the built program.
import {existsSync, statfsSync} from 'node:fs'
import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** Linux keeps this folder in memory: on a disk, renaming a file over another one waits for the disk. */
const IN_MEMORY = '/dev/shm'
/** Containers often have 64 MB there; a simulated host takes about one. */
const ENOUGH_BYTES = 1 << 30

/** Small files that take long. On a fresh clone vitest takes the largest files first: one worker would end with these. */
const LONG =
  /\/(?:interruption\/\S+|commands|console|dying-sessions|every-release|one-truth|secrets|sequences|unhealthy-hosts|watch)\.(?:lab|test)\.ts$/

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({moduleId}: TestSpecification): boolean => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Where simulated hosts are kept for the program as a process.
    env: hasRoom() ? {TMPDIR: IN_MEMORY} : {},
    // Transformed modules are kept in node_modules by their content: a run of a few files takes half of the time.
    experimental: {fsModuleCache: true},
    // No module has state, so files can share a worker; most of the time tests wait for processes.
    isolate: false,
    // More room for young objects: a simulated run makes many that die at once, and collecting them took a fifth of its time.
    execArgv: ['--max-semi-space-size=64'],
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: {sequencer: LongestFirst},
    setupFiles: ['test/fixed-seed.ts'],
    hookTimeout: 120_000,
    testTimeout: 180_000,
    // What is built is tested as it is.
    server: {deps: {external: [/\/dist\//]}},
  },
})

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false
  const {bavail, bsize} = statfsSync(IN_MEMORY)
  return bavail * bsize > ENOUGH_BYTES
}
