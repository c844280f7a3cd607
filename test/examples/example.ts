// The examples whose nodes come from user data: the command on their page, and the file that it printed.
import {readFileSync, writeFileSync} from 'node:fs'
import {hashOf, SERVER, TOKEN} from '../join/joining-host.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {DIGEST, userdataFor} from '../userdata/rig.js'
import type {UserdataDocument} from '../../src/runs/userdata/userdata.js'

const FOLDER = new URL('../../examples/', import.meta.url)
export const TOKEN_FILE = String.raw`C:\given\token`

export const EXAMPLES = ['aws-autoscaling', 'azure-scale-set', 'gce-managed-group', 'openstack', 'vsphere'] as const

export const fileOf = (path: string): URL => new URL(path, FOLDER)
export const textOf = (path: string): string => readFileSync(fileOf(path), 'utf8')

export interface Given {
  /** The arguments, without "k8s-win userdata". */
  readonly args: readonly string[]
  /** The file that its output is redirected to. */
  readonly output: string
}

/** The first command of its page. */
export function commandOf(example: string): Given {
  const [, command = ''] = /^```\nk8s-win userdata (.+?)\n```$/ms.exec(textOf(`${example}/README.md`)) ?? []
  const words = command.replaceAll('\\\n', ' ').split(/\s+/)
  const output = words.pop() ?? ''
  if (words.pop() !== '>') throw new Error(`${example}: the command on its page does not write to a file`)
  return {args: words.map((word) => (word === 'token' ? TOKEN_FILE : word)), output: `${example}/${output}`}
}

export const printedBy = (args: readonly string[]): Promise<UserdataDocument> =>
  userdataFor(args, {[TOKEN_FILE]: `${TOKEN}\n`})

/** With what a user fills in: the digest of the program of the tests, and the simulated cluster. */
export function filledIn(args: readonly string[]): string[] {
  const values: Readonly<Record<string, string>> = {
    '--ca-cert-hash': hashOf(CLUSTER_CA),
    '--program-digest': `sha256:${DIGEST}`,
    '--server': SERVER,
  }
  return args.map((word, index) => values[args[index - 1] ?? ''] ?? word)
}

/** UPDATE_GOLDEN=1 writes it anew. */
export function committed(output: string, printed: string): string {
  if (process.env['UPDATE_GOLDEN']) writeFileSync(fileOf(output), printed)
  return textOf(output)
}
