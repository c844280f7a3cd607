// Two connections that are one: what ends or breaks on one side does on the other.
import type {Socket} from 'node:net'

export function join(near: Socket, far: Socket): void {
  near.pipe(far)
  far.pipe(near)
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy())
    // Not destroyed: what came before the end is still on its way.
    one.on('close', () => other.end())
  }
}
