// npm run test:cluster from its arguments to its exit code; the entry, run-cluster.ts, gives it the process.
import {NOT_RUN_EXIT_CODE} from '../lab/not-run.js'
import {KubernetesNotAvailable} from '../transcripts/recorders/kubernetes-programs.js'

/** What the control plane is built and run with, besides a shell. */
export const TOOLS = ['apt-get', 'dpkg-deb', 'flock', 'openssl', 'setpriv', 'tar'] as const

export interface ClusterPlace {
  readonly arch: string
  /** Those of TOOLS that are not in the PATH. */
  readonly missingTools: readonly string[]
  readonly platform: string
}

export interface TestCluster {
  /** For vitest: names of files. */
  readonly argv: readonly string[]
  build(): Promise<unknown>
  /** What is reported on standard error. */
  complain(text: string): void
  readonly place: ClusterPlace
  /** Resolves with vitest's exit code. */
  run(argv: readonly string[]): Promise<number>
}

export async function testCluster({argv, build, complain, place, run}: TestCluster): Promise<number> {
  const reason = whyImpossible(place)
  if (reason !== undefined) {
    complain(notRunNotice(reason))
    return NOT_RUN_EXIT_CODE
  }

  try {
    await build()
  } catch (error) {
    if (error instanceof KubernetesNotAvailable) {
      complain(notRunNotice(error.message))
      return NOT_RUN_EXIT_CODE
    }

    complain(`cluster: FAILED: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }

  return run(argv)
}

function whyImpossible({arch, missingTools, platform}: ClusterPlace): string | undefined {
  if (platform !== 'linux') return `the control plane runs on Linux, not on ${platform}`
  if (arch !== 'x64' && arch !== 'arm64') return `this machine is ${arch}; the programs are built for x86_64 or aarch64`
  return missingTools.length > 0 ? `${missingTools.join(', ')} not found` : undefined
}

function notRunNotice(reason: string): string {
  const line = '='.repeat(78)
  return [
    line,
    'NOT RUN: the real control plane (npm run test:cluster).',
    `Reason: ${reason}`,
    'Not run: discovery, bootstrap tokens, TLS bootstrap, the permissions of',
    'manifest node-access and draining against a real API server.',
    'This is not a pass. It needs Linux, and apt with a mirror that offers Debian 12.',
    line,
    '',
  ].join('\n')
}
