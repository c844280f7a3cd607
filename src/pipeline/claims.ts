// What a step's removal would take away, in words: what the journal names and is still there. Reads only.
import {win32} from 'node:path'
import type {JournalEntry, JournalKind} from './journal.js'
import type {StepContext} from './step.js'
import type {Removal} from './take-down.js'

type Context = Pick<StepContext, 'host' | 'journal'>

/** `left`: what of its entries is not followed. */
export async function claimsOf(context: Context, {step}: Removal, left: readonly JournalKind[]): Promise<string[]> {
  const entries = context.journal
    .all()
    .flatMap((line) => (line.step === step.id && !left.includes(line.entry.kind) ? [line.entry] : []))
  const things: string[] = []
  const files = new Map<string, Set<string>>()
  for (const entry of entries) {
    if (entry.kind === 'file' || entry.kind === 'download') {
      if (!(await context.host.files.status(entry.path))) continue
      const folder = win32.dirname(entry.path)
      files.set(folder, (files.get(folder) ?? new Set()).add(win32.basename(entry.path)))
    } else {
      const thing = await describe(context, entry)
      if (thing !== undefined) things.push(thing)
    }
  }

  const grouped = [...files].map(([folder, names]) => `${folder}: ${[...names].join(', ')}`)
  return [...new Set([...things, ...grouped])]
}

/** Undefined for what is not there, and for notes that name nothing. */
async function describe({host}: Context, entry: JournalEntry): Promise<string | undefined> {
  const ifThere = async (look: Promise<unknown>, text: string): Promise<string | undefined> => {
    // What cannot be looked at now is told: it may well be there.
    const seen = await look.catch(() => true)
    return seen === undefined || seen === false ? undefined : text
  }

  switch (entry.kind) {
    case 'environment': {
      return ifThere(host.environment.get(entry.name), `the variable ${entry.name}`)
    }
    case 'firewall-rule': {
      const found = host.firewall.find(entry.name).then((rules) => rules.length > 0)
      return ifThere(found, `the firewall rule "${entry.name}"`)
    }
    case 'image-pull': {
      return ifThere(host.docker.image(entry.reference), `the image ${entry.reference}`)
    }
    case 'image-tag': {
      return ifThere(host.docker.image(entry.reference), `the tag ${entry.reference}`)
    }
    case 'network': {
      return ifThere(host.hns.network(entry.name), `the HNS network ${entry.name}, with its endpoints and policy lists`)
    }
    case 'node': {
      return `the node ${entry.name} in the cluster`
    }
    case 'path-entry': {
      return ifThere(host.environment.isOnPath(entry.folder), `${entry.folder} on PATH`)
    }
    case 'service': {
      return ifThere(host.services.status(entry.name), `the service ${entry.name}`)
    }
    case 'tree': {
      const isFolder = (await host.files.status(entry.path))?.kind === 'directory'
      return ifThere(host.files.status(entry.path), `${entry.path}${isFolder ? ', with all that is in it' : ''}`)
    }
    default: {
      return undefined
    }
  }
}
