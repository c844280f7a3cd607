// A bundle made in this process of a simulated host, and taken apart again.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Machine} from '../../src/machine/machine.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {type BundleReport, type BundleRun, runBundle} from '../../src/runs/bundle.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {type HostFolder, profileOf} from '../steps/host-folder.js'
import {unzip} from './unzip.js'

export interface Made {
  readonly members: ReadonlyMap<string, Buffer>
  readonly report: BundleReport
  text(member: string): string
}

export type BundleOptions = Partial<Omit<BundleRun, 'machine' | 'transcript'>> & {
  /** It grows with every run on the same host. */
  readonly withTranscript?: boolean
  /** The machine as the run gets it. */
  readonly wrap?: (machine: Machine) => Machine
}

export async function bundleOn(
  host: HostFolder,
  {withTranscript = true, wrap, ...options}: BundleOptions = {},
): Promise<Made> {
  const machine = await openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  const folder = mkdtempSync(join(tmpdir(), 'k8s-win-bundle-'))
  const [path, transcript] = [join(folder, 'support.zip'), join(folder, 'transcript.ndjson')]
  if (withTranscript) writeFileSync(transcript, host.transcriptText)
  try {
    const report = await runBundle({
      assets,
      environment: {},
      machine: wrap?.(machine) ?? machine,
      redactor: createRedactor(),
      replace: true,
      signal: new AbortController().signal,
      target: {files: openRealMachine().files, path},
      ...(withTranscript && {transcript}),
      version: '1.2.3',
      ...options,
    })
    return madeOf(report, options.target ? [] : unzip(readFileSync(path)))
  } finally {
    rmSync(folder, {recursive: true})
  }
}

function madeOf(report: BundleReport, written: ReturnType<typeof unzip>): Made {
  const members = new Map(written.map(({bytes, name}) => [name, bytes]))
  return {
    members,
    report,
    text(member) {
      const bytes = members.get(member)
      if (!bytes) throw new Error(`there is no ${member} among ${[...members.keys()].join(', ')}`)
      return bytes.toString('utf8')
    },
  }
}
