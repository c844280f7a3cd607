// A stand-in is a simulated program: a few bytes with its name and version.

export interface StandIn {
  readonly name: string
  /** As the program prints it, e.g. "v1.21.5". */
  readonly version: string
}

const MARK = 'k8s-win-simulator-stand-in'
const LINE = new RegExp(`^${MARK} (\\S+) (\\S+)$`, 'm')

/** "MZ", as in every Windows program, and the line with name and version. */
export function makeStandIn(standIn: StandIn): Buffer {
  return Buffer.from(`MZ\n${MARK} ${standIn.name} ${standIn.version}\n`, 'latin1')
}

/** Undefined if the bytes are not a stand-in. */
export function readStandIn(bytes: Uint8Array): StandIn | undefined {
  const text = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  const found = text.startsWith('MZ') ? LINE.exec(text) : null
  return found?.[1] && found[2] ? {name: found[1], version: found[2]} : undefined
}
