// A stand-in is the simulated form of a program: a few bytes that say which program and version they stand for.

export interface StandIn {
  readonly name: string
  /** As the program itself would print it, e.g. "v1.21.5". */
  readonly version: string
}

const MARK = 'k8s-win-simulator-stand-in'

/** "MZ" first, as every Windows program; the line a simulated daemon reads its version from; nothing else. */
export function makeStandIn(standIn: StandIn): Buffer {
  return Buffer.from(`MZ\n${MARK} ${standIn.name} ${standIn.version}\n`, 'latin1')
}

/** Undefined for bytes that are not a stand-in: a real program, or something broken. */
export function readStandIn(bytes: Uint8Array): StandIn | undefined {
  const text = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  const found = text.startsWith('MZ') ? new RegExp(`^${MARK} (\\S+) (\\S+)$`, 'm').exec(text) : null
  return found?.[1] && found[2] ? {name: found[1], version: found[2]} : undefined
}
