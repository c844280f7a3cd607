// npm run test:cluster: builds Kubernetes once into the user's cache, then runs the suites (test/cluster/**/*.cluster.ts).
import {execFile} from 'node:child_process'
import {once} from 'node:events'
import {existsSync} from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {spawnContained} from '../lab/contained.js'
import {withCheckout} from '../lab/package-copy.js'
import {CHECKOUT} from '../lab/recipe.js'
import {missingKubernetes} from '../transcripts/recorders/kubernetes-programs.js'
import {CLUSTER_PROGRAMS, clusterPrograms, PROGRAMS_VARIABLE, releaseOf} from './programs.js'
import {testCluster, TOOLS} from './test-cluster.js'

const VITEST = path.join(CHECKOUT, 'node_modules/vitest/vitest.mjs')
const folders = (process.env.PATH ?? '').split(path.delimiter)

process.exitCode = await testCluster({
  argv: process.argv.slice(2),
  async build() {
    const missing = (process.env[PROGRAMS_VARIABLE] ?? '') === '' ? missingKubernetes(CLUSTER_PROGRAMS) : []
    if (missing.length > 0) process.stdout.write(`Building ${missing.join(', ')}: once, about 25 minutes.\n`)
    process.stdout.write(`Kubernetes ${await releaseOf(await clusterPrograms(process.env))}\n`)
    // The token commands are started as people start them.
    await withCheckout(() => promisify(execFile)(process.execPath, [path.join(CHECKOUT, 'build.mjs')]))
  },
  complain: (text) => process.stderr.write(text),
  place: {
    arch: process.arch,
    missingTools: TOOLS.filter((tool) => !folders.some((folder) => existsSync(path.join(folder, tool)))),
    platform: process.platform,
  },
  async run(argv) {
    const command = [process.execPath, VITEST, 'run', '--config', 'vitest.cluster.config.ts', ...argv]
    const child = spawnContained({argv: command, namespaces: 'none', stdio: 'inherit'})
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
    const [code] = (await once(child, 'close')) as [number | null]
    return code ?? 130
  },
})
