// A console or a pipe that went away must not stop a run half way: what cannot be shown is lost, nothing else.

export function surviveLostConsole(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) stream.on('error', () => undefined)
}
